/** Reads lanes of subjects, by the index of unfinished deliveries. */
import { sql } from 'kysely';
import type { LaneReads } from '../../lane-queue.ts';
import { MAX_COUNTED_IN_LANE, NO_HEAD, SEARCHED_FOR_CURRENT } from '../../shared/deliveries/head-values.ts';
import { rowId } from '../../shared/ids.ts';
import type { Connection } from '../sql/connection.ts';

export function createLaneReads({ read, ids }: Connection): LaneReads {
  return {
    async lanesOf({ source, subject }) {
      const rows = await read.rows(
        sql<LaneRow>`
          select handlers.handler, current.*, counted.deliveries, events.kind
          from (select distinct handler from delivery_counts) as handlers
          cross join (
            select id from subjects
            where family = ${subject.family} and entity = ${subject.id} and source = ${source}
          ) as subject
          cross join lateral (
            select * from (
              select id, event_id, status, head, attempts, last_error, due_at, rate_until from deliveries
              where deliveries.handler = handlers.handler and lane = subject.id and finished_at is null
              order by id limit ${SEARCHED_FOR_CURRENT}
            ) as first
            where status = 'running' or head <> ${sql.lit(NO_HEAD)}
            order by (status = 'running') desc, id limit 1
          ) as current
          cross join lateral (
            select count(*) as deliveries from (
              select from deliveries
              where deliveries.handler = handlers.handler and lane = subject.id and finished_at is null
              limit ${MAX_COUNTED_IN_LANE + 1}
            ) as unfinished
          ) as counted
          join events on events.id = current.event_id
          order by handlers.handler`,
      );
      return rows.map((row) => ({
        handler: row.handler,
        delivery: {
          id: rowId('d', row.id),
          eventId: ids.event(row.event_id),
          kind: row.kind,
          running: row.status === 'running',
          attempts: row.attempts,
          lastError: row.last_error,
          dueAt: row.due_at,
          byRate: row.due_at !== null && row.due_at === row.rate_until,
        },
        behind: Math.min(row.deliveries, MAX_COUNTED_IN_LANE) - 1,
        more: row.deliveries > MAX_COUNTED_IN_LANE,
      }));
    },
  };
}

interface LaneRow {
  readonly handler: string;
  readonly id: number;
  readonly event_id: number;
  readonly status: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly due_at: number | null;
  readonly rate_until: number | null;
  readonly deliveries: number;
  readonly kind: string;
}
