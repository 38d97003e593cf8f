/** When a delivery is due, also after the clock went back. */

/**
 * The largest step back in milliseconds to ignore: it delays a lane by at most as much. The clocks of two processes
 * differ by less: each is at most a second off that of the database, which is known to within half the time of a response.
 */
export const TOLERATED_MS = 3_000;

/** When a delivery is to be due, and the time by the clock when that was decided. */
export interface RequestedWait {
  readonly due_at: number | null;
  readonly asked_at: number | null;
}

/** Effective due time; `now`, if the clock went back past `asked_at` by more than is tolerated. */
export function dueTime({ due_at, asked_at }: RequestedWait, now: number): number {
  if (due_at === null || asked_at === null || asked_at > now + TOLERATED_MS) return now;
  return Math.max(due_at, now);
}
