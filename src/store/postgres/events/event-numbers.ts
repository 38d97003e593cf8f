/** Draws the numbers of events, and tells up to which one all are stored. */
import { sql } from 'kysely';
import { DRAWING_LOCKS } from '../sql/advisory-locks.ts';
import { sequenceOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

const sequence = sequenceOf('events');

/** Takes the lock of whoever draws numbers, and returns one row: a statement selects from it before it draws. */
export const drawingLock = sql`
  select pg_advisory_xact_lock_shared(${sql.lit(String(DRAWING_LOCKS))}::bigint + coalesce(pg_sequence_last_value(${sequence}), 0))`;

/** The next number of an event, for a statement that selects from {@link drawingLock}. */
export const nextEventNumber = sql<number>`nextval(${sequence})`;

/**
 * Draws the numbers of events. The caller has locked their subjects, so that a subject's events are numbered in the
 * order of their commits. Those of different subjects are not: {@link eventsCompleteThrough} tells up to which none is still to come.
 */
export async function drawEventNumbers(session: Session, count: number): Promise<readonly number[]> {
  if (count === 0) return [];
  // The lock comes before the first number.
  const drawn = await session.rows(sql<{ id: number }>`
    with locked as materialized (${drawingLock})
    select ${nextEventNumber} as id from locked, generate_series(1, ${count})`);
  return drawn.map(({ id }) => id);
}

/**
 * Returns a number up to which no event is still to come: every number up to it belongs to an event that later
 * statements see, or to none.
 */
export async function eventsCompleteThrough(session: Session): Promise<number> {
  // Read the sequence before the locks: a later drawer may lock after the lock list is read.
  const row = await session.first(sql<{ id: number }>`
    with drawn as materialized (select coalesce(pg_sequence_last_value(${sequence}), 0) as last)
    select least(drawn.last, running.before) as id from drawn, lateral (
      select min(((classid::bigint << 32) | objid::bigint) - ${String(DRAWING_LOCKS)}::bigint) as before from pg_locks
      where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 16 = ${Number(DRAWING_LOCKS >> 48n)}
        and database = (select oid from pg_database where datname = current_database()) and drawn.last >= 0
    ) as running`);
  return row?.id ?? 0;
}
