/** Bounds how much of a replay is enqueued at a time. */
import type { Clock } from '../kernel/time/clock.ts';

/** Milliseconds of work that may be enqueued at a time. */
const SPAN_MS = 1000;

/** Limits how many deliveries of a replay are unfinished at a time. */
export interface ReplayWindow {
  /** Called at each poll, with the number of deliveries that have ended. */
  observe(ended: number): void;
  size(): number;
}

/**
 * A window of as many deliveries as ended in the last second, with a minimum of `min`.
 * Quick handlers do not run out of work, and an interrupted replay leaves about
 * a second of work in the lanes.
 */
export function adaptiveWindow(min: number, clock: Clock): ReplayWindow {
  /** Oldest first, with one sample from before the last second. */
  let samples: { readonly at: number; readonly ended: number }[] = [];
  return {
    observe(ended) {
      const at = clock.monotonic();
      samples.push({ at, ended });
      const first = samples.findLastIndex((sample) => sample.at <= at - SPAN_MS);
      samples = samples.slice(Math.max(0, first));
    },
    size: () => Math.max(min, (samples.at(-1)?.ended ?? 0) - (samples[0]?.ended ?? 0)),
  };
}
