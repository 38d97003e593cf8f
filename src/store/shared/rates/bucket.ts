/** A bucket of calls, as pure functions. */
import { HOUR_MS } from '../../../kernel/time/durations.ts';
import { TOLERATED_MS } from '../deliveries/due-time.ts';

/**
 * What is known of a bucket. Times are microseconds since 1970: a thousand calls a second are one a millisecond.
 *
 * Each call moves `empty_at` by an interval. A call may start while it is at most `burst - 1` intervals ahead, so in any
 * time there are at most `burst` calls and one for each interval (GCRA, the leaky bucket as a meter).
 *
 * A call that may not start waits for a place in a line, each an interval after the one before: ten thousand lanes do not
 * all ask again at each interval. It asks at its place, because calls before it may have been late. One that asks again
 * and finds no call joins a second line, which is not behind the first.
 */
export interface Bucket {
  /** When the bucket is empty again. */
  readonly empty_at: number;
  /** Until when nothing may start, because the target has said so. */
  readonly closed_until: number;
  /** The end of the line of calls that wait for the first time. */
  readonly queued_until: number;
  /** The end of the line of those that have waited. */
  readonly overdue_until: number;
  /** The time by the clock of the last change. */
  readonly asked_at: number;
  /** The interval of the last call; 0 before the first. */
  readonly interval_us: number;
}

export interface Call {
  readonly intervalUs: number;
  readonly burst: number;
  /** Whether it has waited. */
  readonly asksAgain: boolean;
}

const TOLERATED_US = TOLERATED_MS * 1_000;

/** Microseconds for which a bucket is closed at most. One call is tried then: the target may have said a day. */
const MAX_CLOSED_US = HOUR_MS * 1_000;

/** Takes a call. `dueAt` is when to ask again; null: it may start now. */
export function take(
  given: Bucket,
  { intervalUs, burst, asksAgain }: Call,
  now: number,
): { readonly bucket: Bucket; readonly dueAt: number | null } {
  const fullAfterUs = burst * intervalUs;
  const bucket = bounded(scaled(given, intervalUs, now), now, fullAfterUs);
  const free = Math.max(now, bucket.closed_until, bucket.empty_at - fullAfterUs + intervalUs);
  if (free <= now)
    return { bucket: { ...bucket, empty_at: Math.max(bucket.empty_at, now) + intervalUs }, dueAt: null };
  const line = asksAgain ? 'overdue_until' : 'queued_until';
  const dueAt = Math.max(free, bucket[line]);
  return { bucket: { ...bucket, [line]: dueAt + intervalUs }, dueAt };
}

/** Closes a bucket. */
export function close(given: Bucket, until: number, now: number): Bucket {
  const bucket = bounded(given, now, Infinity);
  const latest = now + MAX_CLOSED_US;
  return { ...bucket, closed_until: Math.max(bucket.closed_until, Math.min(until, latest)) };
}

/** When the bucket is as if it had never been used. */
export function idleAt({
  empty_at: empty,
  closed_until: closed,
  queued_until: queued,
  overdue_until: overdue,
}: Bucket): number {
  return Math.max(empty, closed, queued, overdue);
}

/** Keeps the calls that a bucket counts, and the places in its lines, when the limit has changed. */
function scaled(bucket: Bucket, intervalUs: number, now: number): Bucket {
  const { interval_us: before, closed_until: closed } = bucket;
  if (before === intervalUs) return bucket;
  const start = Math.max(now, Math.min(closed, now + MAX_CLOSED_US));
  const at = (time: number): number =>
    time <= start || before === 0 ? time : start + Math.ceil(((time - start) / before) * intervalUs);
  return {
    ...bucket,
    empty_at: at(bucket.empty_at),
    queued_until: at(bucket.queued_until),
    overdue_until: at(bucket.overdue_until),
    interval_us: intervalUs,
  };
}

/** Shortens what a clock that was ahead, or a lower limit, would prolong. */
function bounded(bucket: Bucket, now: number, fullAfterUs: number): Bucket {
  const backUs = bucket.asked_at > now + TOLERATED_US ? bucket.asked_at - now : 0;
  const isTooFull = bucket.empty_at > now + fullAfterUs + TOLERATED_US;
  return {
    ...bucket,
    empty_at: isTooFull ? now + fullAfterUs : bucket.empty_at,
    closed_until: Math.min(bucket.closed_until - backUs, now + MAX_CLOSED_US),
    queued_until: backUs > 0 ? now : bucket.queued_until,
    overdue_until: backUs > 0 ? now : bucket.overdue_until,
    asked_at: now,
  };
}
