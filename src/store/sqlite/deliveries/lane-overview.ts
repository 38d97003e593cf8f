/** Reads lanes of subjects, by the index of unfinished deliveries. */
import { sql } from 'kysely';
import type { LaneReads, LaneRecord } from '../../lane-queue.ts';
import { MAX_COUNTED_IN_LANE, NO_HEAD, SEARCHED_FOR_CURRENT } from '../../shared/deliveries/head-values.ts';
import { subjectRow } from '../events/subjects.ts';
import type { Connection } from '../sql/connection.ts';
import { rowId } from '../../shared/ids.ts';
import { rowsNow } from '../sql/statement.ts';

export function createLaneReads({ database, query, ids }: Connection): LaneReads {
  function laneOf(handler: string, lane: number): LaneRecord | null {
    const unfinished = query
      .selectFrom('deliveries')
      .where('deliveries.handler', '=', handler)
      .where('deliveries.lane', '=', lane)
      .where('deliveries.finished_at', 'is', null);
    const first = rowsNow<FirstRow>(
      database,
      unfinished
        .innerJoin('events', 'events.id', 'deliveries.event_id')
        .select(['deliveries.id', 'deliveries.event_id', 'deliveries.status', 'deliveries.head'])
        .select(['deliveries.attempts', 'deliveries.last_error', 'deliveries.due_at', 'events.kind'])
        .select('deliveries.rate_until')
        .orderBy('deliveries.id')
        .limit(sql.lit(SEARCHED_FOR_CURRENT)),
    );
    const found =
      first.find(({ status }) => status === 'running') ?? first.find(({ head }) => head !== NO_HEAD);
    if (found === undefined) return null;
    const some = unfinished.select('deliveries.id').limit(sql.lit(MAX_COUNTED_IN_LANE + 1));
    const count = query.selectFrom(some.as('some')).select(({ fn }) => fn.countAll<number>().as('found'));
    const all = rowsNow<{ found: number }>(database, count)[0]?.found ?? 1;
    return {
      handler,
      delivery: {
        id: rowId('d', found.id),
        eventId: ids.event(found.event_id),
        kind: found.kind,
        running: found.status === 'running',
        attempts: found.attempts,
        lastError: found.last_error,
        dueAt: found.due_at,
        byRate: found.due_at !== null && found.due_at === found.rate_until,
      },
      behind: Math.min(all, MAX_COUNTED_IN_LANE) - 1,
      more: all > MAX_COUNTED_IN_LANE,
    };
  }

  return {
    lanesOf({ source, subject }) {
      const row = rowsNow<{ id: number }>(database, subjectRow(query, source, subject))[0]?.id;
      if (row === undefined) return Promise.resolve([]);
      const handlers = rowsNow<{ handler: string }>(
        database,
        query.selectFrom('delivery_counts').select('handler').distinct().orderBy('handler'),
      );
      return Promise.resolve(handlers.flatMap(({ handler }) => laneOf(handler, row) ?? []));
    },
  };
}

interface FirstRow {
  readonly id: number;
  readonly event_id: number;
  readonly status: string;
  readonly head: number;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly due_at: number | null;
  readonly rate_until: number | null;
  readonly kind: string;
}
