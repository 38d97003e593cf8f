import type { Clock } from '../kernel/time/clock.ts';
import { pause } from '../kernel/time/pause.ts';

/** Waits until so many more may be started. Resolves early when the signal aborts. */
export type Pace = (count: number) => Promise<void>;

/**
 * @param perSecond how many may start in a second; undefined for no limit.
 * Nothing is saved up: after a slow stretch there is no burst.
 */
export function createPace(perSecond: number | undefined, clock: Clock, signal: AbortSignal): Pace {
  if (perSecond === undefined) return () => Promise.resolve();
  let freeAt = clock.monotonic();
  return async (count) => {
    const waitMs = freeAt - clock.monotonic();
    if (waitMs > 0) await pause(clock, waitMs, signal);
    freeAt = Math.max(freeAt, clock.monotonic()) + (count * 1000) / perSecond;
  };
}
