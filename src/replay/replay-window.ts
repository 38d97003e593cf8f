/** Bounds how much of a replay is enqueued at a time. */
import type { Clock } from '../kernel/time/clock.ts';
import type { ReplayProgress } from '../store/replays.ts';

/** Milliseconds of work that may be enqueued at a time. */
const SPAN_MS = 1000;

/** Limits how many deliveries of a replay are unfinished at a time. */
export interface ReplayWindow {
  /** Called at each poll. */
  observe(progress: ReplayProgress): void;
  size(): number;
}

/**
 * A window of as many deliveries as ended in the last second, `min` at least.
 * Quick handlers do not run out of work, and an interrupted replay leaves about
 * a second of work in the lanes.
 */
export function adaptiveWindow(min: number, clock: Clock): ReplayWindow {
  /** Oldest first, with one sample from before the last second. */
  let samples: { readonly at: number; readonly finished: number }[] = [];
  return {
    observe({ succeeded, dead, skipped }) {
      const at = clock.monotonic();
      samples.push({ at, finished: succeeded + dead + skipped });
      const first = samples.findLastIndex((sample) => sample.at <= at - SPAN_MS);
      samples = samples.slice(Math.max(0, first));
    },
    size: () => Math.max(min, (samples.at(-1)?.finished ?? 0) - (samples[0]?.finished ?? 0)),
  };
}

export function fixedWindow(size: number): ReplayWindow {
  return { observe: () => undefined, size: () => size };
}
