import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';

/** How long deliveries may follow each other before the event loop turns, in milliseconds. */
const LONGEST_ROW_MS = 1;

/**
 * When deliveries let the event loop turn. Handlers and store may settle
 * without ever leaving the microtask queue, and requests come first. Yet a turn
 * costs more than many a delivery, so it is not taken after each.
 */
export interface LoopTurns {
  /** Resolves in the next turn, the same for all who wait for it. */
  next(): Promise<void>;
  /** Whether deliveries have followed each other for long enough. */
  isDue(): boolean;
}

export function createLoopTurns(clock: Clock): LoopTurns {
  let turnedAt = -Infinity;
  let turning: Promise<void> | null = null;

  async function turn(): Promise<void> {
    await turnOfTheLoop();
    turning = null;
    turnedAt = clock.monotonic();
  }

  return {
    next: () => (turning ??= turn()),
    isDue: () => clock.monotonic() - turnedAt >= LONGEST_ROW_MS,
  };
}
