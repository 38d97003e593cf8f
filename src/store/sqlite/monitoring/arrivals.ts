/** Counts stored events by source, kind and hour, each once. */
import { sql } from 'kysely';
import type { UncountedArrivals } from '../../monitoring.ts';
import { arrivalOf, type ArrivalRow } from '../../shared/monitoring/received-kinds.ts';
import type { Connection } from '../sql/connection.ts';

/** Returns the number of the last event that `received_counts` and `hourly_counts` hold. */
export async function countedThrough({ query }: Connection): Promise<number> {
  const row = await query.selectFrom('counted_events').select('through').executeTakeFirst();
  return row?.through ?? 0;
}

/** Returns the number of the newest event; 0 without events. */
export async function newestEvent({ query }: Connection): Promise<number> {
  const row = await query
    .selectFrom('events')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst();
  return row?.id ?? 0;
}

/**
 * Counts the events with numbers above `after` up to `through`, by source, kind and hour. Unknown kinds that
 * `event_counts` counts together are counted together here, too.
 */
export async function arrivalsBetween(
  { query }: Connection,
  after: number,
  through: number,
): Promise<UncountedArrivals['arrivals']> {
  const { rows } = await sql<ArrivalRow>`
    select subjects.source,
      case
        when recognized = 1 or exists (select 1 from event_counts where event_counts.kind = events.kind) then kind
        else ''
      end as counted_kind,
      recognized,
      received_at / 3600000 as hour,
      count(*) as events,
      min(received_at) as first,
      max(received_at) as last
    from events join subjects on subjects.id = events.subject_id
    where events.id > ${after} and events.id <= ${through}
    group by subjects.source, counted_kind, recognized, hour`.execute(query);
  return rows.map(arrivalOf);
}
