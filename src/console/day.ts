import type { ActivityPoint, HandlerPoint } from '../store/activity.ts';
import type { Monitoring } from '../store/monitoring.ts';
import { HOUR_MS } from '../kernel/time/durations.ts';

/** Milliseconds of a step of the charts. */
export const STEP_MS = HOUR_MS / 2;
const STEPS = 48;
const HOURS = 24;

/** Steps of the charts that a row of their table stands for. */
const STEPS_OF_ROW = 4;

/** The last 24 hours, as the charts show them. */
export interface Day {
  /** The begin of each step, in milliseconds since 1970. The last step is the current one. */
  readonly steps: readonly number[];
  /** By step; null where no process ran. */
  readonly points: readonly (ActivityPoint | null)[];
  readonly handlers: ReadonlyMap<string, readonly (HandlerPoint | null)[]>;
  /** Events of each kind by hour; the last hour is the current one. */
  readonly kinds: ReadonlyMap<string, readonly number[]>;
}

export async function readDay(
  store: Pick<Monitoring, 'activity' | 'hourlyCounts'>,
  now: number,
): Promise<Day> {
  const last = Math.floor(now / STEP_MS) * STEP_MS;
  const steps = Array.from({ length: STEPS }, (_, at) => last - (STEPS - 1 - at) * STEP_MS);
  const activity = await store.activity(steps[0] ?? last, STEP_MS);
  return {
    steps,
    points: bySteps(activity.points, steps),
    handlers: new Map(activity.handlers.map(({ handler, points }) => [handler, bySteps(points, steps)])),
    kinds: await readKinds(store, now),
  };
}

function bySteps<P extends { readonly at: number }>(
  points: readonly P[],
  steps: readonly number[],
): readonly (P | null)[] {
  const found = new Map(points.map((point) => [point.at, point]));
  return steps.map((at) => found.get(at) ?? null);
}

async function readKinds(
  store: Pick<Monitoring, 'hourlyCounts'>,
  now: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const first = Math.floor(now / HOUR_MS) - HOURS + 1;
  const kinds = new Map<string, number[]>();
  for (const { kind, hour, events } of await store.hourlyCounts(first)) {
    const hours = kinds.get(kind) ?? Array<number>(HOURS).fill(0);
    kinds.set(kind, hours);
    const at = hour - first;
    if (at < HOURS) hours[at] = (hours[at] ?? 0) + events;
  }
  return kinds;
}

/** The rows of a table that stands for a chart: each is the begin of some steps, and their values. */
export function rowsOf<P>(
  steps: readonly number[],
  points: readonly (P | null)[],
): readonly { readonly at: number; readonly points: readonly P[] }[] {
  return Array.from({ length: Math.ceil(steps.length / STEPS_OF_ROW) }, (_, row) => {
    const from = row * STEPS_OF_ROW;
    const inRow = points.slice(from, from + STEPS_OF_ROW);
    return { at: steps[from] ?? 0, points: inRow.filter((point) => point !== null) };
  }).toReversed();
}

export function sumOf<P>(points: readonly (P | null)[], value: (point: P) => number): number {
  return points.reduce((sum, point) => sum + (point === null ? 0 : value(point)), 0);
}

export function mostOf<P>(points: readonly (P | null)[], value: (point: P) => number): number {
  return Math.max(0, ...points.map((point) => (point === null ? 0 : value(point))));
}

/** Whether anything was recorded. */
export function isEmpty({ points }: Day): boolean {
  return points.every((point) => point === null);
}
