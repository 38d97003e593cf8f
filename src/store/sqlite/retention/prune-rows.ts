/** Removes what retention or an operator prunes. */
import { sql } from 'kysely';
import type { PruneEvents, PruningRun } from '../../retention.ts';
import type { SubjectRows } from '../events/subjects.ts';
import type { StoreMachineBase } from '../machines/machine-bases.ts';
import type { Connection } from '../sql/connection.ts';
import { deliveryIsHeld, entryIsHeld, eventIsHeld } from '../../shared/privacy/hold-conditions.ts';
import { anyOf } from '../sql/expressions.ts';
import { rowsNow, runNow } from '../sql/statement.ts';
import type { FailureRows } from '../failures/failure-rows.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import { foldsOf, prunableWith } from '../../shared/retention/folding-machines.ts';
import { perform } from '../sql/perform.ts';
import {
  carriesContent,
  DISCARDED,
  isEventWaiting,
  lastCameAt,
} from '../../shared/retention/prune-conditions.ts';
import { giveBackSpace } from './space.ts';

/** Prunes rows. Called inside a transaction, each with as much as one should take. */
export interface PruneRows {
  pruneEvents(request: PruneEvents): { readonly events: number; readonly bytes: number };
  pruneQuarantine(rows: readonly number[], before: number): number;
  pruneDeliveries(
    rows: readonly number[],
    before: number,
  ): { readonly deliveries: number; readonly discarded: number };
  recordPruning(run: PruningRun): void;
  giveBackSpace(maxBytes: number): number;
}

interface Deps {
  readonly subjects: Pick<SubjectRows, 'require'>;
  readonly counts: Pick<RowCounts, 'deliveryMoved'>;
  readonly failures: Pick<FailureRows, 'forget'>;
  readonly storeBase: StoreMachineBase;
}

export function createPruneRows(connection: Connection, deps: Deps): PruneRows {
  return {
    pruneEvents: createPruneEvents(connection, deps),
    pruneQuarantine: createPruneQuarantine(connection),
    pruneDeliveries: createPruneDeliveries(connection, deps),
    recordPruning({ lastRunAt, nextRunAt, firstBody = 1 }) {
      const { database, query } = connection;
      const record = query.updateTable('retention').set((eb) => ({
        ...(lastRunAt === undefined ? {} : { last_run_at: lastRunAt }),
        ...(nextRunAt === undefined ? {} : { next_run_at: nextRunAt }),
        // Bodies never return, so this only grows.
        first_body: eb.fn<number>('max', ['first_body', eb.val(firstBody)]),
      }));
      runNow(database, record);
    },
    giveBackSpace: (maxBytes) => giveBackSpace(connection.database, maxBytes),
  };
}

function createPruneEvents(connection: Connection, { subjects, storeBase }: Deps): PruneRows['pruneEvents'] {
  const { database, query } = connection;

  /** The old events among these that wait for nothing and are not held. */
  function prunable({ events, machines, before }: PruneEvents) {
    const found = rowsNow<{ id: number; subject_id: number; bytes: number }>(
      database,
      query
        .selectFrom('events')
        .select(['id', 'subject_id'])
        .select(sql<number>`length(body) + octet_length(headers)`.as('bytes'))
        .where('id', 'in', anyOf(events))
        .where('body', 'is not', null)
        .where('received_at', '<', before)
        .where(sql<boolean>`not ${isEventWaiting}`)
        .where(sql<boolean>`not ${eventIsHeld}`),
    );
    return prunableWith(found, perform(connection, foldsOf(connection.dialect, found)), machines);
  }

  return (request) => {
    const rows = prunable(request);
    if (rows.length === 0) return { events: 0, bytes: 0 };
    for (const base of request.bases) storeBase(subjects.require(base.source, base.subject), base);
    replaceWithoutContent(
      connection,
      rows.map(({ id }) => id),
      request.now,
    );
    runNow(
      database,
      query.deleteFrom('attempts').where('delivery_id', 'in', (eb) =>
        eb
          .selectFrom('deliveries')
          .select('id')
          .where('event_id', 'in', anyOf(rows.map(({ id }) => id))),
      ),
    );
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
    countPruned(connection, { pruned_events: rows.length, pruned_bytes: bytes });
    return { events: rows.length, bytes };
  };
}

/** The columns of an event that stay. */
const KEPT = [
  'id',
  'kind',
  'recognized',
  'subject_id',
  'digest_key',
  'digest',
  'message_key',
  'message_digest',
  'version',
  'verdict',
  'flags',
  'received_at',
  'message_id',
] as const;

/**
 * Replaces rows instead of updating them: SQLite merges pages that a deletion
 * leaves almost empty, but not pages whose rows shrink, which would stay as large.
 */
function replaceWithoutContent(
  { database, query }: Connection,
  events: readonly number[],
  now: number,
): void {
  const kept = query
    .selectFrom('events')
    .select(KEPT)
    .select([sql.lit('{}').as('headers'), sql<null>`null`.as('body'), sql<number>`${now}`.as('pruned_at')])
    .where('id', 'in', anyOf(events));
  const replace = query
    .replaceInto('events')
    .columns([...KEPT, 'headers', 'body', 'pruned_at'])
    .expression(kept);
  runNow(database, replace);
}

function createPruneQuarantine(connection: Connection): PruneRows['pruneQuarantine'] {
  const { database, query } = connection;
  return (rows, before) => {
    const removed = rowsNow<{ verified: number; reason: string; status: string; bytes: number }>(
      database,
      query
        .deleteFrom('quarantine')
        .where('id', 'in', anyOf(rows))
        .where(lastCameAt, '<', before)
        .where(sql<boolean>`not ${entryIsHeld}`)
        .returning(['verified', 'reason', 'status', 'bytes']),
    );
    // The trigger has counted held entries as dropped by the quota.
    for (const { verified, reason, bytes } of removed.filter(({ status }) => status === 'held')) {
      const uncount = query
        .updateTable('quarantine_counts')
        .set((eb) => ({
          dropped: eb('dropped', '-', 1),
          dropped_bytes: eb('dropped_bytes', '-', bytes),
        }))
        .where('verified', '=', verified)
        .where('reason', '=', reason);
      runNow(database, uncount);
    }
    countPruned(connection, { pruned_quarantine: removed.length });
    return removed.length;
  };
}

function createPruneDeliveries(
  connection: Connection,
  { counts, failures }: Pick<Deps, 'counts' | 'failures'>,
): PruneRows['pruneDeliveries'] {
  const { database, query } = connection;
  const finished = (rows: readonly number[], before: number) =>
    query
      .updateTable('deliveries')
      .where('id', 'in', anyOf(rows))
      .where('finished_at', '<', before)
      .where(carriesContent)
      .where(sql<boolean>`not ${deliveryIsHeld}`);

  /** Deletes the failed attempts of old deliveries, and returns how many of these carried nothing else. */
  function dropAttempts(rows: readonly number[], before: number): number {
    const old = query
      .selectFrom('deliveries')
      .where('id', 'in', anyOf(rows))
      .where('finished_at', '<', before)
      .where(sql<boolean>`not ${deliveryIsHeld}`)
      .where(sql<boolean>`exists (select 1 from attempts where delivery_id = deliveries.id)`);
    const only = rowsNow(database, old.select('id').where(sql<boolean>`not ${carriesContent}`)).length;
    runNow(database, query.deleteFrom('attempts').where('delivery_id', 'in', old.select('id')));
    return only;
  }

  return (rows, before) => {
    const withAttemptsOnly = dropAttempts(rows, before);
    const discarded = rowsNow<{ id: number; handler: string; replayId: number }>(
      database,
      finished(rows, before)
        .where('status', '=', 'dead')
        .set({ status: 'skipped', last_error: DISCARDED, effect_change: null })
        .returning(['id', 'handler', 'replay_id as replayId']),
    );
    for (const delivery of discarded) {
      counts.deliveryMoved(delivery, 'dead', 'skipped');
      failures.forget(delivery.id);
    }
    const emptied = runNow(
      database,
      finished(rows, before).set({ last_error: null, effect_change: null }),
    ).changes;
    const deliveries = discarded.length + emptied + withAttemptsOnly;
    countPruned(connection, { pruned_deliveries: deliveries, discarded_deliveries: discarded.length });
    return { deliveries, discarded: discarded.length };
  };
}

type Counter =
  'pruned_events' | 'pruned_bytes' | 'pruned_quarantine' | 'pruned_deliveries' | 'discarded_deliveries';

function countPruned({ database, query }: Connection, more: Partial<Record<Counter, number>>): void {
  const counted = Object.entries(more).filter(([, count]) => count > 0) as [Counter, number][];
  if (counted.length === 0) return;
  runNow(
    database,
    query
      .updateTable('retention')
      .set((eb) => Object.fromEntries(counted.map(([name, count]) => [name, eb(name, '+', count)]))),
  );
}
