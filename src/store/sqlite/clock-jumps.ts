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
  /** Ends the waits that were decided in what is now the future. */
  endBrokenWaits(now: number): void;
  /** The same, when the clock has gone back since this was last called. */
  notice(now: number): void;
}

export function createClockJumps({ database, query }: Connection): ClockJumps {
  const end = prepare(database, (p: Named<{ now: number }>) =>
    query
      .updateTable('lanes')
      .set({ due_at: p.now, asked_at: p.now })
      .where('asked_at', '>', p.now)
      .where('claimed', '=', 0),
  );
  let last = Number.NEGATIVE_INFINITY;

  return {
    endBrokenWaits(now) {
      last = now;
      end.run({ now });
    },
    notice(now) {
      if (now < last - TOLERATED_MS) end.run({ now });
      // After a step back within the tolerance the highest reading still counts.
      last = now < last - TOLERATED_MS ? now : Math.max(last, now);
    },
  };
}

/** When a lane whose head wishes to wait from `askedAt` to `dueAt` is due, as the clock reads `now`. */
export function dueTime(
  head: { readonly due_at: number | null; readonly asked_at: number | null },
  now: number,
): number {
  if (head.due_at === null || head.asked_at === null || head.asked_at > now) return now;
  return Math.max(head.due_at, now);
}
