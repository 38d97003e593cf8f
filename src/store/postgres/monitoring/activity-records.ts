/** Stores and reads the counts that charts show. */
import { sql } from 'kysely';
import { DAY_MS } from '../../../kernel/time/durations.ts';
import { KEPT_ACTIVITY_DAYS, type Activity, type ActivityRecord } from '../../activity.ts';
import { activityBySteps, withDurations } from '../../shared/monitoring/activity-steps.ts';
import type { DatabaseSchema } from '../../shared/tables.ts';
import type { Session } from '../sql/session.ts';

type HandlerSpan = DatabaseSchema['handler_activity'];

/** Adds a part of a span to what is known of it, and drops spans that are too old. Called inside a transaction. */
export async function addActivity(
  session: Session,
  { at, received, backlog, oldestMs, handlers }: ActivityRecord,
): Promise<void> {
  // Locks the span: what another process has added to its handlers is seen below.
  await session.run(sql`
    insert into activity as known (at, received, backlog, oldest_ms) values (${at}, ${received}, ${backlog}, ${oldestMs})
    on conflict (at) do update set
      received = known.received + excluded.received,
      backlog = greatest(known.backlog, excluded.backlog),
      oldest_ms = greatest(known.oldest_ms, excluded.oldest_ms)`);
  const known = await session.rows(
    sql<HandlerSpan>`select handler, durations from handler_activity where at = ${at}`,
  );
  const durationsOf = new Map(known.map(({ handler, durations }) => [handler, durations]));
  for (const { handler, succeeded, failed, dead, skipped, breakerMs, durations } of handlers) {
    const all = withDurations(durationsOf.get(handler), durations);
    durationsOf.set(handler, all);
    await session.run(sql`
      insert into handler_activity as known (at, handler, succeeded, failed, dead, skipped, breaker_ms, durations)
      values (${at}, ${handler}, ${succeeded}, ${failed}, ${dead}, ${skipped}, ${breakerMs}, ${all})
      on conflict (at, handler) do update set
        succeeded = known.succeeded + excluded.succeeded,
        failed = known.failed + excluded.failed,
        dead = known.dead + excluded.dead,
        skipped = known.skipped + excluded.skipped,
        breaker_ms = known.breaker_ms + excluded.breaker_ms,
        durations = excluded.durations`);
  }
  const oldest = at - KEPT_ACTIVITY_DAYS * DAY_MS;
  await session.run(sql`delete from activity where at < ${oldest}`);
  await session.run(sql`delete from handler_activity where at < ${oldest}`);
}

/** Reads the activity from `since` on, by steps of `stepMs` milliseconds that begin at multiples of it. */
export async function readActivity(read: Session, since: number, stepMs: number): Promise<Activity> {
  const spans = await read.rows(
    sql<DatabaseSchema['activity']>`select * from activity where at >= ${since} order by at`,
  );
  const ofHandlers = await read.rows(
    sql<HandlerSpan>`select * from handler_activity where at >= ${since} order by at`,
  );
  return activityBySteps(spans, ofHandlers, stepMs);
}
