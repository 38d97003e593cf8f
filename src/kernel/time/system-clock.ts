import type { Clock } from './clock.ts';

/** `setTimeout` overflows beyond 2^31 - 1 ms and would then fire at once. */
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
