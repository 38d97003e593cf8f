/** Marks across copies of this package, where `instanceof` would not. */
const outcome = Symbol.for('portaria.outcome');

/** A handler's wish to be called again with the same event, `ms` milliseconds from now. */
export interface RetryLater extends Error {
  readonly [outcome]: 'retry-later';
  readonly ms: number;
}

/** A handler's word that the event needs nothing of it: recorded as skipped, never retried. */
export interface Discard extends Error {
  readonly [outcome]: 'discard';
  readonly reason: string;
}

/** A handler's word that trying again is no use: a dead letter at once. */
export interface GiveUp extends Error {
  readonly [outcome]: 'give-up';
  readonly reason: string;
}

/** Return or throw it; with or without `new`. Counts as a try. */
export const RetryLater = wish((ms: number, reason?: string): RetryLater => {
  if (!Number.isFinite(ms) || ms < 0) throw new TypeError('RetryLater takes milliseconds, 0 or more');
  return mark(new Error(reason ?? `asked to retry in ${String(ms)} ms`), { [outcome]: 'retry-later', ms });
});

/** Return or throw it; with or without `new`. */
export const Discard = wish((reason: string): Discard =>
  mark(new Error(reason), { [outcome]: 'discard', reason }),
);

/** Return or throw it; with or without `new`. */
export const GiveUp = wish((reason: string): GiveUp =>
  mark(new Error(reason), { [outcome]: 'give-up', reason }),
);

/** What a handler returned or threw, when it was one of the values above. */
export function wishOf(value: unknown): RetryLater | Discard | GiveUp | undefined {
  if (typeof value !== 'object' || value === null || !(outcome in value)) return undefined;
  return value as RetryLater | Discard | GiveUp;
}

export function isRetryLater(value: unknown): value is RetryLater {
  return wishOf(value)?.[outcome] === 'retry-later';
}

export function isDiscard(value: unknown): value is Discard {
  return wishOf(value)?.[outcome] === 'discard';
}

export function isGiveUp(value: unknown): value is GiveUp {
  return wishOf(value)?.[outcome] === 'give-up';
}

function mark<T extends object>(error: Error, fields: T): Error & T {
  return Object.assign(error, fields);
}

/** A function that may also be called with `new`: both spellings are in the wild. */
function wish<A extends unknown[], R extends Error>(make: (...args: A) => R): Wish<A, R> {
  return function (...args: A): R {
    return make(...args);
  } as unknown as Wish<A, R>;
}

interface Wish<A extends unknown[], R> {
  (...args: A): R;
  new (...args: A): R;
}
