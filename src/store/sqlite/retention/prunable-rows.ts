/** Finds rows that retention may prune. */
import { sql } from 'kysely';
import type { PruneRequest, Retention } from '../../retention.ts';
import {
  chooseEvents,
  chosenRows,
  idleEvents,
  namedSubjects,
  nextOf,
  pageOf,
  type FoldedSubjects,
  type OldEvent,
  type PrunableRow,
} from '../../shared/retention/prune-pages.ts';
import type { Connection } from '../sql/connection.ts';
import { anyOf } from '../sql/expressions.ts';
import { rowsNow } from '../sql/statement.ts';
import { deliveryIsHeld, entryIsHeld, eventIsHeld } from '../../shared/privacy/hold-conditions.ts';
import { foldingMachines, waitingSubjects } from './folding-machines.ts';
import { carriesContent, isEventWaiting, lastCameAt } from '../../shared/retention/prune-conditions.ts';

type PrunableReads = Pick<
  Retention,
  'prunableEvents' | 'prunableQuarantine' | 'prunableDeliveries' | 'firstBody'
>;

interface EventRow extends OldEvent {
  readonly has_body: number;
  readonly is_old: number;
}

/** Finds rows to prune by walking a table in steps: an index by time would cost every webhook. */
export function createPrunableReads(connection: Connection): PrunableReads {
  const { database, query } = connection;

  function eventsAfter({ before, after, limit }: PruneRequest): readonly EventRow[] {
    const isOld = sql<number>`(events.received_at < ${before})`;
    const hasBody = sql<number>`(events.body is not null)`;
    const page = query
      .selectFrom('events')
      .select(['events.id', 'events.subject_id'])
      .select([hasBody.as('has_body'), isOld.as('is_old')])
      .select(sql<number>`iif(${hasBody} and ${isOld}, ${isEventWaiting}, 0)`.as('waits'))
      .select(sql<number>`iif(${hasBody} and ${isOld}, ${eventIsHeld}, 0)`.as('held'))
      .select(sql<number>`coalesce(length(events.body), 0) + octet_length(events.headers)`.as('bytes'))
      .where('events.id', '>', after)
      .orderBy('events.id')
      .limit(limit);
    return rowsNow(database, page);
  }

  /** Old deliveries of a page that carry failed attempts and nothing else. Few have any, so they are looked up. */
  function withAttemptsOnly(
    page: readonly PrunableRow[],
    { before, after }: PruneRequest,
  ): readonly PrunableRow[] {
    const last = page.at(-1)?.id;
    if (last === undefined) return [];
    const found = query
      .selectFrom('attempts')
      .innerJoin('deliveries', 'deliveries.id', 'attempts.delivery_id')
      .select('deliveries.id')
      .select(sql<number>`sum(coalesce(octet_length(attempts.error), 0))`.as('bytes'))
      .select(sql<number>`(not ${deliveryIsHeld})`.as('prunable'))
      .select(sql<number>`${deliveryIsHeld}`.as('held'))
      .where('attempts.delivery_id', '>', after)
      .where('attempts.delivery_id', '<=', last)
      .where('deliveries.finished_at', '<', before)
      .where(sql<boolean>`not ${carriesContent}`)
      .groupBy('deliveries.id');
    return rowsNow<PrunableRow>(database, found);
  }

  return {
    prunableEvents(request) {
      const rows = eventsAfter(request);
      const old = rows.filter((row) => row.has_body === 1 && row.is_old === 1);
      const chosen = chooseEvents(old, foldedSubjects(connection, idleEvents(old)));
      const pruned = chosenRows(chosen);
      return Promise.resolve({
        ...chosen,
        firstKept: rows.find((row) => row.has_body === 1 && !pruned.has(row.id))?.id ?? null,
        last: rows.at(-1)?.id ?? request.after,
        next: nextOf(rows, request),
      });
    },

    prunableQuarantine(request) {
      const isOld = sql<number>`(${lastCameAt} < ${request.before})`;
      const rows = rowsNow<PrunableRow>(
        database,
        query
          .selectFrom('quarantine')
          .select(['id', 'bytes'])
          .select(sql<number>`(${isOld} and not ${entryIsHeld})`.as('prunable'))
          .select(sql<number>`(${isOld} and ${entryIsHeld})`.as('held'))
          .where('id', '>', request.after)
          .orderBy('id')
          .limit(request.limit),
      );
      return Promise.resolve(pageOf(rows, rows, request));
    },

    prunableDeliveries(request) {
      const isOld = sql<number>`(finished_at is not null and finished_at < ${request.before} and ${carriesContent})`;
      const rows = rowsNow<PrunableRow>(
        database,
        query
          .selectFrom('deliveries')
          .select('id')
          .select(
            sql<number>`coalesce(octet_length(last_error), 0) + coalesce(octet_length(effect_change), 0)`.as(
              'bytes',
            ),
          )
          .select(sql<number>`(${isOld} and not ${deliveryIsHeld})`.as('prunable'))
          .select(sql<number>`(${isOld} and ${deliveryIsHeld})`.as('held'))
          .where('id', '>', request.after)
          .orderBy('id')
          .limit(request.limit),
      );
      return Promise.resolve(pageOf([...rows, ...withAttemptsOnly(rows, request)], rows, request));
    },

    async firstBody() {
      const { first_body: first } = await query
        .selectFrom('retention')
        .select('first_body')
        .where('id', '=', 1)
        .executeTakeFirstOrThrow();
      return first;
    },
  };
}

/** Returns the machines with a state of each subject, the names of these subjects, and which of them wait. */
function foldedSubjects(connection: Connection, rows: readonly OldEvent[]): FoldedSubjects {
  const folded = foldingMachines(connection, [...new Set(rows.map((row) => row.subject_id))]);
  const named = rowsNow<{ id: number; source: string; family: string; entity: string }>(
    connection.database,
    connection.query
      .selectFrom('subjects')
      .select(['id', 'source', 'family', 'entity'])
      .where('id', 'in', anyOf([...folded.keys()])),
  );
  return { folded, subjects: namedSubjects(named), busy: waitingSubjects(connection, [...folded.keys()]) };
}
