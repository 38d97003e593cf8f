import type { Clock } from '../kernel/time/clock.ts';

/** More than this waits for nobody, however quick the handlers are. */
const MAX_AHEAD = 4_096;
/** What is claimed ahead is meant to have a slot within so many milliseconds. */
const AHEAD_MS = 100;

/** How much may be claimed. */
export interface ClaimRoom {
  /** Deliveries for which a slot is free. */
  readonly slots: number;
  /** Deliveries beyond these, which wait for one. */
  readonly ahead: number;
}

/**
 * The lanes that this process has claimed: those that run, those that wait for
 * a slot, and those whose outcome is being recorded.
 *
 * Quick handlers would spend their time waiting for commits if each slot asked
 * for its next delivery when it is free. So as much is in hand as was finished
 * in the last 100 ms: with slow handlers nothing ahead, which keeps the others
 * from waiting behind them, and a crash from touching what never began. Those
 * that have run do not count: while their outcomes are committed the others
 * run, and the next are claimed in the same transaction.
 */
export interface DeliveriesInHand {
  count(): number;
  /** Counts a lane, or so many; {@link release} follows. */
  hold(lanes?: number): void;
  readonly release: (lanes?: number) => void;
  /** That one delivery came to its end. */
  finished(): void;
  /** That the outcome of one is to be recorded; {@link recorded} follows. */
  recording(): void;
  recorded(): void;
  /** None while enough is in hand: a claim of many costs little more than one of few. */
  room(): ClaimRoom;
  /** Resolves when nothing is in hand. */
  empty(): Promise<void>;
}

export function hasRoom({ slots, ahead }: ClaimRoom): boolean {
  return slots + ahead > 0;
}

export function createDeliveriesInHand(options: {
  readonly concurrency: number;
  readonly clock: Clock;
  /** Told when there may be room again. */
  readonly onRelease: () => void;
}): DeliveriesInHand {
  const { concurrency, clock, onRelease } = options;
  let held = 0;
  /** Of these lanes: whose delivery has run. */
  let recording = 0;
  let awaitingEmpty: (() => void)[] = [];
  /** Finished in this span of time and in the one before. */
  let span = { since: clock.monotonic(), finished: 0 };
  let before = 0;

  function turnSpan(): void {
    const elapsed = clock.monotonic() - span.since;
    if (elapsed < AHEAD_MS) return;
    before = elapsed < 2 * AHEAD_MS ? span.finished : 0;
    span = { since: clock.monotonic(), finished: 0 };
  }

  function ahead(): number {
    turnSpan();
    const inTime = Math.max(before, span.finished);
    return Math.min(Math.max(0, inTime - concurrency), MAX_AHEAD);
  }

  /** How many have no slot yet. */
  function waiting(): number {
    return Math.max(0, held - recording - concurrency);
  }

  function release(lanes = 1): void {
    held -= lanes;
    if (held === 0) {
      for (const resolve of awaitingEmpty) resolve();
      awaitingEmpty = [];
    }
    if (held === 0 || hasRoom(room())) onRelease();
  }

  function room(): ClaimRoom {
    const most = ahead();
    const slots = Math.max(0, concurrency - held);
    const claimed = Math.max(0, held - concurrency);
    // Half of it is left: time to ask for more, before the slots run out of work.
    const wanted = waiting() > most / 2 ? 0 : most - waiting();
    return { slots, ahead: Math.min(wanted, Math.max(0, 2 * most - claimed)) };
  }

  return {
    count: () => held,
    hold(lanes = 1) {
      held += lanes;
    },
    release,
    finished() {
      turnSpan();
      span.finished += 1;
    },
    recording() {
      recording += 1;
      // While others wait their turn: when none does, the outcome itself tells soon enough.
      if (waiting() > 0 && room().ahead > 0) onRelease();
    },
    recorded() {
      recording -= 1;
    },
    room,
    empty: () =>
      held === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            awaitingEmpty.push(resolve);
          }),
  };
}
