/** The pace of replays and jobs: how many calls start in a second. */
import type { Clock } from '../kernel/time/clock.ts';
import { pause } from '../kernel/time/pause.ts';

/** Waits until `count` more calls may start. Resolves early when the signal aborts. */
export type Pace = (count: number) => Promise<void>;

/**
 * Limits the rate of calls. Unused time is not saved up: no burst follows a slow period.
 *
 * @param perSecond calls that may start in a second; undefined for no limit
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
