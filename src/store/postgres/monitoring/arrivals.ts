/** Counts stored events by source, kind and hour, each once. */
import { sql } from 'kysely';
import type { UncountedArrivals } from '../../monitoring.ts';
import { arrivalOf, type ArrivalRow } from '../../rows/monitoring/received-kinds.ts';
import { isAnyOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** How often a read checks whether transactions have ended that may still store an event. */
const CHECKS = 25;
/** Seconds between two checks. */
const BETWEEN_CHECKS_S = 0.02;

/**
 * Counts the oldest uncounted events, at most `limit`.
 *
 * Processes commit the numbers of events out of order, and the counting must not pass one that is not committed. Whoever
 * draws a number holds the lock of its sequence until the end of the transaction, which others can see and which
 * keeps nobody waiting. So this reads the newest number, then waits a moment for those who hold the lock: after them, no
 * lower number can appear. While one of them stays, nothing is counted; the next call tries again.
 */
export async function readUncounted(read: Session, limit: number): Promise<UncountedArrivals> {
  const bounds = await read.first(
    sql<{ after: number; newest: number }>`
      select through as after, greatest(through, (select max(id) from events)) as newest from counted_events`,
  );
  const { after, newest } = bounds ?? { after: 0, newest: 0 };
  const none: UncountedArrivals = { after, through: after, more: false, arrivals: [] };
  if (newest === after || !(await drawersEnd(read))) return none;
  const page = await read.first(
    sql<{ events: number; last: number }>`
      select count(*) as events, max(id) as last
      from (select id from events where id > ${after} and id <= ${newest} order by id limit ${limit}) as page`,
  );
  const through = page?.events === limit ? page.last : newest;
  const arrivals = await arrivalsBetween(read, after, through);
  return { after, through, more: through < newest, arrivals };
}

/** Waits until the transactions have ended that now hold numbers of events; returns false when one stays. */
async function drawersEnd(read: Session): Promise<boolean> {
  let drawers = await transactionsThatDrew(read);
  for (let check = 1; drawers.length > 0; check += 1) {
    if (check > CHECKS) return false;
    await read.run(sql`select pg_sleep(${BETWEEN_CHECKS_S})`);
    drawers = await transactionsThatDrew(read, drawers);
  }
  return true;
}

/** @param among finds only these */
async function transactionsThatDrew(read: Session, among?: readonly string[]): Promise<readonly string[]> {
  const rows = await read.rows(
    sql<{ id: string }>`
      select virtualtransaction as id from pg_locks
      where locktype = 'relation' and mode = 'RowExclusiveLock' and granted
        and database = (select oid from pg_database where datname = current_database())
        and relation = pg_get_serial_sequence('events', 'id')::regclass
        and ${among === undefined ? sql`true` : isAnyOf('virtualtransaction', among, 'text')}`,
  );
  return rows.map(({ id }) => id);
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
