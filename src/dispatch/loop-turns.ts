import type { Clock } from '../kernel/time/clock.ts';

/** How long deliveries may follow each other before the event loop turns, in milliseconds. */
const MAX_ROW_MS = 1;

/**
 * When deliveries let the event loop turn. Handlers and store may settle
 * without ever leaving the microtask queue, and requests come first. Yet a turn
 * costs more than many a delivery, so it is not taken after each.
 */
export interface LoopTurns {
  /** Has `begin` called in a later turn, behind what waits for one already; what there is no time for waits for the turn after. */
  inLaterTurn(begin: () => void): void;
  /** Whether deliveries have followed each other for long enough. */
  isDue(): boolean;
}

export function createLoopTurns(clock: Clock): LoopTurns {
  let turnedAt = -Infinity;
  /** What has begun stays in front until it is as much as what has not: to cut it off each time would cost more. */
  let queue: (() => void)[] = [];
  let begun = 0;
  let scheduled = false;

  const isDue = (): boolean => clock.monotonic() - turnedAt >= MAX_ROW_MS;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(turn);
  }

  function turn(): void {
    scheduled = false;
    turnedAt = clock.monotonic();
    // What comes meanwhile waits for a turn of its own.
    const row = queue.length;
    while (begun < row) {
      const begin = queue[begun];
      begun += 1;
      begin?.();
      if (isDue()) break;
    }
    if (begun * 2 >= queue.length) {
      queue = queue.slice(begun);
      begun = 0;
    }
    if (queue.length > 0) schedule();
  }

  return {
    inLaterTurn(begin) {
      queue.push(begin);
      schedule();
    },
    isDue,
  };
}
