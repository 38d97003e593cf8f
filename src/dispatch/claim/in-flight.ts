/** Counts deliveries in flight, and how many more may be claimed. */
import type { Clock } from '../../kernel/time/clock.ts';

/** Deliveries prefetched at most, however quick the handlers are. */
const MAX_PREFETCH = 4_096;

/** Milliseconds in which a prefetched delivery is meant to start, and with a store that is slow. */
const PREFETCH_WINDOW_MS = 100;
const MAX_PREFETCH_WINDOW_MS = 2_000;

/** How many deliveries may be claimed now. */
export interface ClaimCapacity {
  /** Deliveries that can start at once. */
  readonly run: number;
  /** Deliveries beyond these, which wait in this process for their start. */
  readonly prefetch: number;
}

/**
 * Counts the lanes that this process has claimed: running, prefetched, and
 * waiting for their outcome to be recorded.
 *
 * Quick handlers would wait for commits most of the time if each of them claimed
 * one delivery. So the number in flight follows the number that finished in the
 * last 100 ms, or in a longer time when the store is slow. Slow handlers prefetch
 * nothing: other processes can claim the rest, and a crash interrupts less.
 *
 * Deliveries whose outcome is being recorded do not count: the next claim then
 * shares their commit.
 */
export interface InFlight {
  count(): number;
  /** Counts one lane, or `lanes` of them. */
  add(lanes?: number): void;
  readonly remove: (lanes?: number) => void;
  /** A delivery has run. */
  finished(): void;
  /** A claim took so many milliseconds. */
  claimTook(ms: number): void;
  /** Recording of a delivery's outcome begins. */
  recording(): void;
  /** Recording of a delivery's outcome has ended. */
  recorded(): void;
  /** Zero until half of the prefetched deliveries have started: one large claim costs little more than a small one. */
  capacity(): ClaimCapacity;
  /** Resolves when nothing is in flight. */
  empty(): Promise<void>;
}

export function hasCapacity({ run, prefetch }: ClaimCapacity): boolean {
  return run + prefetch > 0;
}

export function createInFlight(options: {
  readonly concurrency: number;
  readonly clock: Clock;
  /** Called when there may be capacity again. */
  readonly onCapacity: () => void;
}): InFlight {
  const { concurrency, clock, onCapacity } = options;
  let lanes = 0;
  /** Those of `lanes` whose outcome is being recorded. */
  let recording = 0;
  let emptyListeners: (() => void)[] = [];
  let window = { since: clock.monotonic(), finished: 0 };
  let finishedBefore = 0;
  /** Milliseconds of a claim, the last ones weighing most. */
  let claimMs = 0;

  /** Twice a claim and an outcome, which takes about as long. */
  function windowMs(): number {
    return Math.min(MAX_PREFETCH_WINDOW_MS, Math.max(PREFETCH_WINDOW_MS, 4 * claimMs));
  }

  function moveWindow(): void {
    const elapsed = clock.monotonic() - window.since;
    if (elapsed < windowMs()) return;
    finishedBefore = elapsed < 2 * windowMs() ? window.finished : 0;
    window = { since: clock.monotonic(), finished: 0 };
  }

  function maxPrefetch(): number {
    moveWindow();
    const finished = Math.max(finishedBefore, window.finished);
    return Math.min(Math.max(0, finished - concurrency), MAX_PREFETCH);
  }

  /** Lanes that have not started. */
  function waiting(): number {
    return Math.max(0, lanes - recording - concurrency);
  }

  function capacity(): ClaimCapacity {
    const max = maxPrefetch();
    const beyondConcurrency = Math.max(0, lanes - concurrency);
    // Ask for more while half is left, so that handlers do not run out of work.
    const wanted = waiting() > max / 2 ? 0 : max - waiting();
    return {
      run: Math.max(0, concurrency - lanes),
      prefetch: Math.min(wanted, Math.max(0, 2 * max - beyondConcurrency)),
    };
  }

  return {
    count: () => lanes,
    add(added = 1) {
      lanes += added;
    },
    remove(removed = 1) {
      lanes -= removed;
      if (lanes === 0) {
        for (const resolve of emptyListeners) resolve();
        emptyListeners = [];
      }
      if (lanes === 0 || hasCapacity(capacity())) onCapacity();
    },
    finished() {
      moveWindow();
      window.finished += 1;
    },
    claimTook(ms) {
      claimMs = (claimMs + ms) / 2;
    },
    recording() {
      recording += 1;
      // With nothing waiting, `remove` reports the capacity soon enough.
      if (waiting() > 0 && capacity().prefetch > 0) onCapacity();
    },
    recorded() {
      recording -= 1;
    },
    capacity,
    empty: () =>
      lanes === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            emptyListeners.push(resolve);
          }),
  };
}
