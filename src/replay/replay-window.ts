import type { Clock } from '../kernel/time/clock.ts';
import type { ReplayProgress } from '../store/replays.ts';

/** What was finished in so many milliseconds may be enqueued ahead. */
const SPAN_MS = 1000;

/** How many deliveries of a replay may be unfinished at a time. */
export interface ReplayWindow {
  /** Told at every look how far the replay is. */
  note(progress: ReplayProgress): void;
  size(): number;
}

/**
 * A window that follows the speed: as many as were finished in the last second,
 * and `least` at least. So quick handlers never run out of work, and a replay
 * that is interrupted leaves about a second's worth in the lanes.
 */
export function followingWindow(least: number, clock: Clock): ReplayWindow {
  /** Oldest first; of those before the last second only the latest. */
  let looks: { readonly at: number; readonly finished: number }[] = [];
  return {
    note({ succeeded, dead, skipped }) {
      const at = clock.monotonic();
      looks.push({ at, finished: succeeded + dead + skipped });
      const first = looks.findLastIndex((look) => look.at <= at - SPAN_MS);
      looks = looks.slice(Math.max(0, first));
    },
    size: () => Math.max(least, (looks.at(-1)?.finished ?? 0) - (looks[0]?.finished ?? 0)),
  };
}

export function fixedWindow(size: number): ReplayWindow {
  return { note: () => undefined, size: () => size };
}
