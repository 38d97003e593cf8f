/** Stores and reads the counts that charts show. */
import { sql } from 'kysely';
import { DAY_MS } from '../../../kernel/time/durations.ts';
import {
  durationQuantile,
  KEPT_ACTIVITY_DAYS,
  type Activity,
  type ActivityPoint,
  type ActivityRecord,
  type HandlerActivity,
  type HandlerPoint,
} from '../../activity.ts';
import { larger } from '../sql/dialect.ts';
import { rows, run, type SqlReads, type Write } from '../sql/statements.ts';
import type { DatabaseSchema } from '../tables.ts';

type Durations = HandlerActivity['durations'];
type HandlerSpan = DatabaseSchema['handler_activity'];

/** Adds a part of a span to what is known of it, and drops spans that are too old. */
export function* addActivity({ at, received, backlog, oldestMs, handlers }: ActivityRecord): Write<void> {
  // On PostgreSQL, it locks the span: what another process has added to its handlers is seen below.
  yield* run(sql`
    insert into activity as known (at, received, backlog, oldest_ms) values (${at}, ${received}, ${backlog}, ${oldestMs})
    on conflict (at) do update set
      received = known.received + excluded.received,
      backlog = ${larger('known.backlog', 'excluded.backlog')},
      oldest_ms = ${larger('known.oldest_ms', 'excluded.oldest_ms')}`);
  const known = yield* rows(
    sql<HandlerSpan>`select handler, durations from handler_activity where at = ${at}`,
  );
  const durationsBefore = new Map(known.map(({ handler, durations }) => [handler, durations]));
  for (const { handler, succeeded, failed, dead, skipped, breakerMs, durations } of handlers) {
    const all = withDurations(durationsBefore.get(handler), durations);
    durationsBefore.set(handler, all);
    yield* run(sql`
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
  yield* run(sql`delete from activity where at < ${oldest}`);
  yield* run(sql`delete from handler_activity where at < ${oldest}`);
}

/** Reads the activity from `since` on, by steps of `stepMs` milliseconds that begin at multiples of it. */
export async function readActivity(read: SqlReads, since: number, stepMs: number): Promise<Activity> {
  const spans = await read.rows(
    sql<DatabaseSchema['activity']>`select * from activity where at >= ${since} order by at`,
  );
  const ofHandlers = await read.rows(
    sql<HandlerSpan>`select * from handler_activity where at >= ${since} order by at`,
  );
  return activityBySteps(spans, ofHandlers, stepMs);
}

/** Puts spans of activity together to steps of `stepMs` milliseconds, which begin at multiples of it. */
function activityBySteps(
  spans: readonly DatabaseSchema['activity'][],
  rows: readonly HandlerSpan[],
  stepMs: number,
): Activity {
  const stepOf = ({ at }: { readonly at: number }) => Math.floor(at / stepMs) * stepMs;
  const finished = new Map<number, number>();
  for (const row of rows) {
    const step = stepOf(row);
    finished.set(step, (finished.get(step) ?? 0) + row.succeeded + row.dead + row.skipped);
  }
  const points = [...Map.groupBy(spans, stepOf)].map(([at, all]): ActivityPoint => ({
    at,
    received: sum(all, ({ received }) => received),
    finished: finished.get(at) ?? 0,
    backlog: Math.max(...all.map(({ backlog }) => backlog)),
    oldestMs: Math.max(...all.map(({ oldest_ms: ms }) => ms)),
  }));
  const byHandler = [...Map.groupBy(rows, ({ handler }) => handler)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  return {
    points,
    handlers: byHandler.map(([handler, all]) => ({
      handler,
      points: [...Map.groupBy(all, stepOf)].map(([at, step]) => handlerPoint(at, step)),
    })),
  };
}

function handlerPoint(at: number, rows: readonly HandlerSpan[]): HandlerPoint {
  const durations = sumOf(rows.flatMap((row) => durationsOf(row.durations)));
  return {
    at,
    succeeded: sum(rows, ({ succeeded }) => succeeded),
    failed: sum(rows, ({ failed }) => failed),
    dead: sum(rows, ({ dead }) => dead),
    skipped: sum(rows, ({ skipped }) => skipped),
    breakerMs: sum(rows, ({ breaker_ms: ms }) => ms),
    p50Ms: durationQuantile(durations, 0.5),
    p95Ms: durationQuantile(durations, 0.95),
  };
}

/** Adds attempts to the durations that a row has. */
function withDurations(known: string | undefined, added: Durations): string {
  return JSON.stringify([...sumOf([...durationsOf(known), ...added])]);
}

function durationsOf(text: string | undefined): Durations {
  return text === undefined ? [] : (JSON.parse(text) as Durations);
}

function sumOf(durations: Durations): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const [bucket, attempts] of durations) sums.set(bucket, (sums.get(bucket) ?? 0) + attempts);
  return sums;
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
