/** Prunes the bodies and the failed attempts of old events, and what pruning does in SQLite's own way. */
import { sql } from 'kysely';
import type { PruneEvents } from '../../retention.ts';
import type { SubjectRows } from '../events/subjects.ts';
import type { StoreMachineBase } from '../machines/machine-bases.ts';
import type { Connection } from '../sql/connection.ts';
import type { DeliveryParts } from '../../shared/deliveries/change-deliveries.ts';
import { eventIsHeld } from '../../shared/privacy/hold-conditions.ts';
import { anyOf } from '../sql/expressions.ts';
import { rowsNow, runNow } from '../sql/statement.ts';
import { foldsOf, prunableWith } from '../../shared/retention/folding-machines.ts';
import { perform, performed } from '../sql/perform.ts';
import { isEventWaiting } from '../../shared/retention/prune-pages.ts';
import { countPruned, createPruneWrites, type PruneParts } from '../../shared/retention/prune-rows.ts';
import { run, type PerformedWrites, type Write } from '../../shared/sql/statements.ts';
import { giveBackSpace } from './space.ts';

/** Prunes rows. Called inside a transaction, each with as much as one should take. */
export interface PruneRows extends PerformedWrites<ReturnType<typeof createPruneWrites>> {
  pruneEvents(request: PruneEvents): { readonly events: number; readonly bytes: number };
  giveBackSpace(maxBytes: number): number;
}

interface Deps {
  readonly subjects: Pick<SubjectRows, 'require'>;
  readonly moved: DeliveryParts['moved'];
  readonly storeBase: StoreMachineBase;
}

function* rememberAttempts(): Write<void> {
  yield* run(sql`
    insert into row_counts (name, rows) select 'attempts', max(id) from attempts having count(*) > 0
    on conflict (name) do update set rows = max(rows, excluded.rows)`);
}

const pruneParts: Omit<PruneParts, 'moved'> = {
  lockRows: sql``,
  rememberAttempts,
  *uncountDropped(entries) {
    for (const { verified, reason, bytes } of entries)
      yield* run(sql`
        update quarantine_counts set dropped = dropped - 1, dropped_bytes = dropped_bytes - ${bytes}
        where verified = ${verified} and reason = ${reason}`);
  },
  // Bodies never return, so this only grows.
  andFirstBody: (event) => sql`, first_body = max(first_body, ${event})`,
};

export function createPruneRows(connection: Connection, deps: Deps): PruneRows {
  return {
    pruneEvents: createPruneEvents(connection, deps),
    ...performed(connection, createPruneWrites(connection, { moved: deps.moved, ...pruneParts })),
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
    perform(connection, rememberAttempts());
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
    perform(connection, countPruned({ events: rows.length, bytes }));
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
