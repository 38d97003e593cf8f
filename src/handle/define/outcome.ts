/** What a handler can return or throw. */
import { hasMark, outcomeMark } from './marks.ts';

/** A requested outcome: call the handler again with the same event in `ms` milliseconds. */
export interface RetryLater extends Error {
  readonly [outcomeMark]: 'retry-later';
  readonly ms: number;
  /** Milliseconds for which nothing else of the handler's `rate` starts; undefined: it goes on. */
  readonly rateMs?: number | undefined;
}

export interface RetryLaterOptions {
  /**
   * Whether the target limits calls (429, or 503 with Retry-After): nothing of the handler's `rate` starts for as long,
   * or for so many milliseconds, in any process; an hour at most. Without a `rate` it changes nothing.
   */
  readonly rate: boolean | number;
}

/** A requested outcome: the handler does not need the event. The delivery is recorded as skipped. */
export interface Discard extends Error {
  readonly [outcomeMark]: 'discard';
  readonly reason: string;
}

/** A requested outcome: a retry cannot succeed. The delivery becomes a dead letter at once. */
export interface GiveUp extends Error {
  readonly [outcomeMark]: 'give-up';
  readonly reason: string;
}

/**
 * Requests another attempt in `ms` milliseconds. Return it or throw it from
 * `handle` or an effect's `run`, with or without `new`:
 * `if (response.status === 429) return RetryLater(60_000, 'rate limited');`
 *
 * It counts as an attempt: after the last one the delivery becomes a dead letter.
 *
 * @throws TypeError when `ms` is negative or not finite.
 */
export const RetryLater = constructor(
  (ms: number, reason?: string | RetryLaterOptions, options?: RetryLaterOptions): RetryLater => {
    if (!Number.isFinite(ms) || ms < 0) throw new TypeError('RetryLater takes milliseconds, 0 or more');
    const text = typeof reason === 'string' ? reason : `asked to retry in ${String(ms)} ms`;
    const { rate = false } = (typeof reason === 'object' ? reason : options) ?? {};
    const rateMs = rate === true ? ms : rate === false ? undefined : rate;
    return outcome(new Error(text), { [outcomeMark]: 'retry-later', ms, rateMs });
  },
);

/**
 * Skips the event: the delivery is recorded as skipped and is not retried.
 * Return it or throw it, with or without `new`:
 * `if (event.data.amount === 0) return Discard('nothing to pay');`
 */
export const Discard = constructor((reason: string): Discard =>
  outcome(new Error(reason), { [outcomeMark]: 'discard', reason }),
);

/**
 * Fails the delivery for good: it becomes a dead letter without another attempt.
 * Return it or throw it, with or without `new`:
 * `if (response.status === 410) return GiveUp('the account is closed');`
 */
export const GiveUp = constructor((reason: string): GiveUp =>
  outcome(new Error(reason), { [outcomeMark]: 'give-up', reason }),
);

/** Reports whether a handler's result or error is one of the outcomes that it can request. */
export function isOutcome(value: unknown): value is RetryLater | Discard | GiveUp {
  return hasMark(value, outcomeMark);
}

/** Reports whether a handler's result or error is the outcome `RetryLater`. */
export function isRetryLater(value: unknown): value is RetryLater {
  return outcomeOf(value) === 'retry-later';
}

/** Reports whether a handler's result or error is the outcome `Discard`. */
export function isDiscard(value: unknown): value is Discard {
  return outcomeOf(value) === 'discard';
}

/** Reports whether a handler's result or error is the outcome `GiveUp`. */
export function isGiveUp(value: unknown): value is GiveUp {
  return outcomeOf(value) === 'give-up';
}

function outcomeOf(value: unknown): unknown {
  return hasMark(value, outcomeMark) ? value[outcomeMark] : undefined;
}

function outcome<T extends object>(error: Error, fields: T): Error & T {
  return Object.assign(error, fields);
}

/** Returns a function that callers may use with or without `new`. */
function constructor<A extends unknown[], R extends Error>(make: (...args: A) => R): Constructor<A, R> {
  return function (...args: A): R {
    return make(...args);
  } as unknown as Constructor<A, R>;
}

interface Constructor<A extends unknown[], R extends Error> {
  (...args: A): R;
  new (...args: A): R;
}
