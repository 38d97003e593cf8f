/** Counts stored events by source, kind and hour, each once. */
import { sql } from 'kysely';
import type { UncountedArrivals } from '../../monitoring.ts';
import { arrivalOf, type ArrivalRow } from '../../shared/monitoring/received-kinds.ts';
import { eventsCompleteThrough } from '../events/event-numbers.ts';
import type { Session } from '../sql/session.ts';

/**
 * Counts the oldest uncounted events, at most `limit`. Processes commit the numbers of events out of order, and the
 * counting must not pass one that is still to come.
 */
export async function readUncounted(read: Session, limit: number): Promise<UncountedArrivals> {
  const complete = await eventsCompleteThrough(read);
  const bounds = await read.first(
    sql<{ after: number; newest: number }>`
      select through as after,
        greatest(through, (select max(id) from events where id <= ${complete})) as newest from counted_events`,
  );
  const { after, newest } = bounds ?? { after: 0, newest: 0 };
  if (newest === after) return { after, through: after, more: false, arrivals: [] };
  const page = await read.first(
    sql<{ events: number; last: number }>`
      select count(*) as events, max(id) as last
      from (select id from events where id > ${after} and id <= ${newest} order by id limit ${limit}) as page`,
  );
  const through = page?.events === limit ? page.last : newest;
  const arrivals = await arrivalsBetween(read, after, through);
  return { after, through, more: through < newest, arrivals };
}

/** The kind that an event is counted under: unknown kinds that `event_counts` counts together are together here, too. */
export const countedKind = sql<string>`
  case when recognized = 1 or kind in (select counted_kinds.kind from counted_kinds) then kind else '' end`;

/**
 * Counts the events with numbers above `after` up to `through`, by source, kind and hour. The source comes from a query of
 * its own, so that no plan reads all subjects for it.
 */
async function arrivalsBetween(
  read: Session,
  after: number,
  through: number,
): Promise<UncountedArrivals['arrivals']> {
  const rows = await read.rows(
    sql<ArrivalRow>`
      select (select source from subjects where subjects.id = events.subject_id) as source,
        ${countedKind} as counted_kind, recognized, received_at / 3600000 as hour,
        count(*) as events, min(received_at) as first, max(received_at) as last
      from events where events.id > ${after} and events.id <= ${through}
      group by 1, 2, 3, 4`,
  );
  return rows.map(arrivalOf);
}
