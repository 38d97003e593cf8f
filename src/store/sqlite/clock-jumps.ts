import type { Connection } from './connection.ts';
import { prepare, type Named } from './statement.ts';

/** Steps back below this delay a lane by at most as much, and are left alone. */
const TOLERATED_MS = 1_000;

/**
 * Waits that outlive a jump of the wall clock.
 *
 * A lane's wait runs from `asked_at`, what the clock read when the wait was
 * decided, to `due_at`. A clock that reads less than `asked_at` went back in
 * between, so how long the lane has waited is unknown; the wait is then over,
 * because an early retry does less harm than one that is hours late. A jump
 * forward ends waits early by itself.
 */
export interface ClockJumps {
  /**
   * Ends the waits that were decided in what is now the future. To be called
   * inside a transaction; what was jumped is read from the lanes, so that the
   * next call makes up for one that was undone.
   */
  endBrokenWaits(now: number): void;
}

export function createClockJumps({ database, query }: Connection): ClockJumps {
  const end = prepare(database, (p: Named<{ now: number; latest: number }>) =>
    query
      .updateTable('lanes')
      .set({ due_at: p.now, asked_at: p.now })
      .where('asked_at', '>', p.latest)
      .where((eb) => eb('claimed', '=', eb.lit(0))),
  );
  return { endBrokenWaits: (now) => void end.run({ now, latest: now + TOLERATED_MS }) };
}

/** When a lane whose head wishes to wait from `askedAt` to `dueAt` is due, as the clock reads `now`. */
export function dueTime(
  head: { readonly due_at: number | null; readonly asked_at: number | null },
  now: number,
): number {
  if (head.due_at === null || head.asked_at === null || head.asked_at > now) return now;
  return Math.max(head.due_at, now);
}
