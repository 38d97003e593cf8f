import type { Clock } from '../kernel/clock.ts';

/** How long deliveries may follow each other before the event loop turns, in milliseconds. */
const LONGEST_ROW_MS = 1;

/**
 * When deliveries let the event loop turn. Handlers and store may settle
 * without ever leaving the microtask queue, and requests come first. Yet a turn
 * costs more than many a delivery, so it is not taken after each.
 */
export interface LoopTurns {
  /** Begins `work` in a later turn, behind what waits for one already; what there is no time for waits for the turn after. */
  later<T>(work: () => Promise<T>): Promise<T>;
  /** Whether deliveries have followed each other for long enough. */
  isDue(): boolean;
}

export function createLoopTurns(clock: Clock): LoopTurns {
  let turnedAt = -Infinity;
  let waiting: readonly (() => void)[] = [];
  let arriving: (() => void)[] = [];
  let scheduled = false;

  const isDue = (): boolean => clock.monotonic() - turnedAt >= LONGEST_ROW_MS;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(turn);
  }

  function turn(): void {
    scheduled = false;
    turnedAt = clock.monotonic();
    const row = [...waiting, ...arriving];
    arriving = [];
    let begun = 0;
    for (const begin of row) {
      begin();
      begun += 1;
      if (isDue()) break;
    }
    waiting = row.slice(begun);
    if (waiting.length + arriving.length > 0) schedule();
  }

  return {
    later: (work) =>
      new Promise((resolve) => {
        arriving.push(() => {
          resolve(work());
        });
        schedule();
      }),
    isDue,
  };
}
