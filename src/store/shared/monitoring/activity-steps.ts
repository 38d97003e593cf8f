/** Spans of activity, put together for a chart. */
import {
  durationQuantile,
  type Activity,
  type ActivityPoint,
  type HandlerActivity,
  type HandlerPoint,
} from '../../activity.ts';
import type { DatabaseSchema } from '../tables.ts';

type Durations = HandlerActivity['durations'];

/** Puts spans of activity together to steps of `stepMs` milliseconds, which begin at multiples of it. */
export function activityBySteps(
  spans: readonly DatabaseSchema['activity'][],
  rows: readonly DatabaseSchema['handler_activity'][],
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

function handlerPoint(at: number, rows: readonly DatabaseSchema['handler_activity'][]): HandlerPoint {
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
export function withDurations(known: string | undefined, added: Durations): string {
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
