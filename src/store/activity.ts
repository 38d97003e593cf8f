/** What a store keeps for charts: what happened in each span of time. */

/** Milliseconds of a span, in which what happens is counted together. */
export const ACTIVITY_SPAN_MS = 300_000;

/** The begin of the span that a time is in, both in milliseconds since 1970. */
export function spanOf(at: number): number {
  return Math.floor(at / ACTIVITY_SPAN_MS) * ACTIVITY_SPAN_MS;
}

/** Days for which spans are kept. */
export const KEPT_ACTIVITY_DAYS = 31;

/** What a handler did in a part of a span. */
export interface HandlerActivity {
  readonly handler: string;
  readonly succeeded: number;
  /** Attempts that failed, the last ones of dead deliveries included. */
  readonly failed: number;
  readonly dead: number;
  readonly skipped: number;
  /** Milliseconds for which its breaker was open. */
  readonly breakerMs: number;
  /** How many attempts took how long, by the number of {@link durationBucket}. */
  readonly durations: readonly (readonly [bucket: number, attempts: number])[];
}

/** What happened in a part of a span: records of the same span add up. */
export interface ActivityRecord {
  /** Milliseconds since 1970: the begin of the span. */
  readonly at: number;
  /** Webhooks that were stored or recognized as repeats. */
  readonly received: number;
  /** Unfinished deliveries at the end of this part. */
  readonly backlog: number;
  /** Age of the oldest of them in milliseconds; 0 without one. */
  readonly oldestMs: number;
  readonly handlers: readonly HandlerActivity[];
}

/** What a process has counted and not yet written. */
export type UnwrittenActivity = Pick<ActivityRecord, 'received' | 'handlers'>;

/** A step of a chart. */
export interface ActivityPoint {
  /** Milliseconds since 1970: the begin of the step. */
  readonly at: number;
  readonly received: number;
  /** Deliveries that ended, whatever their outcome. */
  readonly finished: number;
  /** The highest of the step. */
  readonly backlog: number;
  readonly oldestMs: number;
}

/** A step of a chart of a handler. */
export interface HandlerPoint extends Omit<HandlerActivity, 'handler' | 'durations'> {
  readonly at: number;
  /** Milliseconds that half of the attempts, and 95 % of them, took at most; null without an attempt. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** What happened in a period, by steps. Steps in which no process ran are missing. */
export interface Activity {
  readonly points: readonly ActivityPoint[];
  /** By the name of the handler. */
  readonly handlers: readonly { readonly handler: string; readonly points: readonly HandlerPoint[] }[];
}

/** Each bucket is wider than the one before by this factor: a quantile is true within 12 %. */
const GROWTH = 1.25;
/** Milliseconds up to which durations are in the first bucket. */
const FIRST_MS = 0.1;
const LAST_BUCKET = 90;

/** Returns the bucket of a duration. */
export function durationBucket(ms: number): number {
  if (!(ms > FIRST_MS)) return 0;
  return Math.min(LAST_BUCKET, Math.ceil(Math.log(ms / FIRST_MS) / Math.log(GROWTH)));
}

/** Returns the duration that a share of the attempts took at most, in milliseconds; null without an attempt. */
export function durationQuantile(durations: ReadonlyMap<number, number>, share: number): number | null {
  const buckets = [...durations].toSorted(([one], [other]) => one - other);
  const all = buckets.reduce((sum, [, attempts]) => sum + attempts, 0);
  let passed = 0;
  for (const [bucket, attempts] of buckets) {
    passed += attempts;
    // The middle of the bucket, on its scale.
    if (passed >= share * all) return FIRST_MS * GROWTH ** Math.max(0, bucket - 0.5);
  }
  return null;
}
