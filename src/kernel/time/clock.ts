/** Cancels a timer. Does nothing when the timer has fired or was cancelled. */
export type Cancel = () => void;

/** The only source of time. It is injected everywhere, so tests control time and simulate clock jumps. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970-01-01T00:00:00Z. May jump either way. */
  now(): number;
  /** Milliseconds since an arbitrary start, for durations. Never goes back. */
  monotonic(): number;
  /** Calls back once after `ms` milliseconds; 0 or less means as soon as possible. */
  after(ms: number, callback: () => void): Cancel;
}

/** `setTimeout` fires at once for more than 2^31 - 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), MAX_TIMER_MS));
    return () => {
      clearTimeout(timer);
    };
  },
};
