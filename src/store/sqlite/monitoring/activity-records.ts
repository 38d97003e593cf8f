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
import type { Connection } from '../sql/connection.ts';
import { rowsNow, runNow } from '../sql/statement.ts';

type Durations = HandlerActivity['durations'];

/** Adds a part of a span to what is known of it, and drops spans that are too old. Called inside a transaction. */
export function addActivity(connection: Connection, record: ActivityRecord): void {
  const { database, query } = connection;
  const { at, received, backlog, oldestMs } = record;
  runNow(
    database,
    query
      .insertInto('activity')
      .values({ at, received, backlog, oldest_ms: oldestMs })
      .onConflict((conflict) =>
        conflict.column('at').doUpdateSet((eb) => ({
          received: eb('activity.received', '+', eb.ref('excluded.received')),
          backlog: eb.fn<number>('max', ['activity.backlog', 'excluded.backlog']),
          oldest_ms: eb.fn<number>('max', ['activity.oldest_ms', 'excluded.oldest_ms']),
        })),
      ),
  );
  for (const handler of record.handlers) addHandler(connection, at, handler);
  const oldest = at - KEPT_ACTIVITY_DAYS * DAY_MS;
  runNow(database, query.deleteFrom('activity').where('at', '<', oldest));
  runNow(database, query.deleteFrom('handler_activity').where('at', '<', oldest));
}

function addHandler({ database, query }: Connection, at: number, added: HandlerActivity): void {
  const { handler } = added;
  const known = rowsNow<{ durations: string }>(
    database,
    query
      .selectFrom('handler_activity')
      .select('durations')
      .where('at', '=', at)
      .where('handler', '=', handler),
  )[0];
  const durations = JSON.stringify([...sumOf([...durationsOf(known?.durations), ...added.durations])]);
  const { succeeded, failed, dead, skipped, breakerMs: breaker_ms } = added;
  runNow(
    database,
    query
      .insertInto('handler_activity')
      .values({ at, handler, succeeded, failed, dead, skipped, breaker_ms, durations })
      .onConflict((conflict) =>
        conflict.columns(['at', 'handler']).doUpdateSet((eb) => ({
          succeeded: eb('handler_activity.succeeded', '+', eb.ref('excluded.succeeded')),
          failed: eb('handler_activity.failed', '+', eb.ref('excluded.failed')),
          dead: eb('handler_activity.dead', '+', eb.ref('excluded.dead')),
          skipped: eb('handler_activity.skipped', '+', eb.ref('excluded.skipped')),
          breaker_ms: eb('handler_activity.breaker_ms', '+', eb.ref('excluded.breaker_ms')),
          durations: eb.ref('excluded.durations'),
        })),
      ),
  );
}

/** Reads the activity from `since` on, by steps of `stepMs` milliseconds that begin at multiples of it. */
export function readActivity({ database, query }: Connection, since: number, stepMs: number): Activity {
  const stepOf = ({ at }: { readonly at: number }) => Math.floor(at / stepMs) * stepMs;
  const spans = rowsNow<{ at: number; received: number; backlog: number; oldest_ms: number }>(
    database,
    query.selectFrom('activity').selectAll().where('at', '>=', since).orderBy('at'),
  );
  const rows = rowsNow<HandlerRow>(
    database,
    query.selectFrom('handler_activity').selectAll().where('at', '>=', since).orderBy('at'),
  );
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

interface HandlerRow {
  readonly at: number;
  readonly handler: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly dead: number;
  readonly skipped: number;
  readonly breaker_ms: number;
  readonly durations: string;
}

function handlerPoint(at: number, rows: readonly HandlerRow[]): HandlerPoint {
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
