/** The last 24 hours in steps, for charts. */
import {
  ACTIVITY_SPAN_MS,
  durationQuantile,
  spanOf,
  type ActivityPoint,
  type HandlerActivity,
  type HandlerPoint,
  type UnwrittenActivity,
} from '../store/activity.ts';
import type { Monitoring } from '../store/monitoring.ts';
import type { Queries } from '../store/queries.ts';
import { HOUR_MS, MINUTE_MS } from '../kernel/time/durations.ts';

/** Milliseconds of a step of the charts. */
const STEP_MS = HOUR_MS / 2;
const STEPS = 48;

/** So long that every time is in the first step. */
const ONE_STEP_MS = 2 ** 50;

/** The last 24 hours, as the charts show them. */
export interface Day {
  /** The begin of each step, in milliseconds since 1970. The last step is the current one. */
  readonly steps: readonly number[];
  /** By step; null where no process ran. */
  readonly points: readonly (ActivityPoint | null)[];
  /** The last hour, and how many of its minutes a process ran: a rate of a new process is not that of an hour. */
  readonly lastHour: { readonly points: readonly ActivityPoint[]; readonly minutes: number };
  /** By name. */
  readonly handlers: ReadonlyMap<string, readonly (HandlerPoint | null)[]>;
}

type DayStore = Pick<Monitoring, 'activity'> & Pick<Queries, 'events'>;

/** @param running what this process has counted and not yet written: it belongs to the current step */
export async function readDay(store: DayStore, running: UnwrittenActivity, now: number): Promise<Day> {
  const last = Math.floor(now / STEP_MS) * STEP_MS;
  const steps = Array.from({ length: STEPS }, (_, at) => last - (STEPS - 1 - at) * STEP_MS);
  const activity = await store.activity(steps[0] ?? last, STEP_MS);
  const handlers = new Map(activity.handlers.map((one) => [one.handler, bySteps(one.points, steps)]));
  for (const one of running.handlers)
    handlers.set(one.handler, withLast(handlers.get(one.handler) ?? steps.map(() => null), handlerNow(one)));
  const points = bySteps(activity.points, steps);
  const isQuiet = running.received === 0 && running.handlers.length === 0;
  return {
    steps,
    points: isQuiet ? points : withLast(points, activityNow(running, last)),
    lastHour: await readLastHour(store, running, now),
    handlers,
  };
}

async function readLastHour(
  store: DayStore,
  running: UnwrittenActivity,
  now: number,
): Promise<Day['lastHour']> {
  const current = spanOf(now);
  const { points } = await store.activity(current - HOUR_MS, ACTIVITY_SPAN_MS);
  const ended = points.filter(({ at }) => at < current).length;
  const begin = points[0]?.at ?? current;
  const isNew = begin > current - HOUR_MS;
  const [first] = isNew ? await store.events({ since: begin }, { order: 'oldest', limit: 1 }) : [];
  // Its first span does not count before its first event.
  const idleMs = first !== undefined && spanOf(first.receivedAt) === begin ? first.receivedAt - begin : 0;
  const minutes = (ended * ACTIVITY_SPAN_MS + now - current - idleMs) / MINUTE_MS;
  return { points: [...points, activityNow(running, current)(null)], minutes: Math.max(1, minutes) };
}

/** What each handler did since a time. Durations that are not written yet count only where there are no others. */
export async function readHandlers(
  store: Pick<Monitoring, 'activity'>,
  running: UnwrittenActivity,
  since: number,
): Promise<ReadonlyMap<string, HandlerPoint>> {
  const { handlers } = await store.activity(spanOf(since), ONE_STEP_MS);
  const found = new Map(handlers.flatMap(({ handler, points }) => points.map((point) => [handler, point])));
  for (const one of running.handlers) {
    const known = found.get(one.handler);
    const { p50Ms, p95Ms, ...now } = handlerNow(one)(known ?? null);
    found.set(one.handler, { p50Ms: known?.p50Ms ?? p50Ms, p95Ms: known?.p95Ms ?? p95Ms, ...now });
  }
  return found;
}

/** Adds to the last step; it is the first of what is known of it where nothing was written yet. */
function withLast<P>(points: readonly (P | null)[], add: (known: P | null) => P): readonly (P | null)[] {
  return [...points.slice(0, -1), add(points.at(-1) ?? null)];
}

function activityNow({ received, handlers }: UnwrittenActivity, at: number) {
  const finished = handlers.reduce((sum, one) => sum + one.succeeded + one.dead + one.skipped, 0);
  return (known: ActivityPoint | null): ActivityPoint => ({
    ...(known ?? { at, backlog: 0, oldestMs: 0 }),
    received: (known?.received ?? 0) + received,
    finished: (known?.finished ?? 0) + finished,
  });
}

/** Durations of both parts are not kept, so the slower part stands for the step. */
function handlerNow({ durations, ...counted }: HandlerActivity) {
  const attempts = new Map(durations);
  const slower = (share: number, known: number | null): number | null => {
    const found = durationQuantile(attempts, share);
    return found === null || known === null ? (found ?? known) : Math.max(found, known);
  };
  return (known: HandlerPoint | null): HandlerPoint => ({
    at: known?.at ?? 0,
    succeeded: counted.succeeded + (known?.succeeded ?? 0),
    failed: counted.failed + (known?.failed ?? 0),
    dead: counted.dead + (known?.dead ?? 0),
    skipped: counted.skipped + (known?.skipped ?? 0),
    breakerMs: counted.breakerMs + (known?.breakerMs ?? 0),
    p50Ms: slower(0.5, known?.p50Ms ?? null),
    p95Ms: slower(0.95, known?.p95Ms ?? null),
  });
}

function bySteps<P extends { readonly at: number }>(
  points: readonly P[],
  steps: readonly number[],
): readonly (P | null)[] {
  const found = new Map(points.map((point) => [point.at, point]));
  return steps.map((at) => found.get(at) ?? null);
}

export function sumOf<P>(points: readonly (P | null)[], value: (point: P) => number): number {
  return points.reduce((sum, point) => sum + (point === null ? 0 : value(point)), 0);
}

export function mostOf<P>(points: readonly (P | null)[], value: (point: P) => number): number {
  return Math.max(0, ...points.map((point) => (point === null ? 0 : value(point))));
}
