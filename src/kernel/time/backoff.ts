/** Waits between attempts. */
import type { Random } from '../random.ts';

/** How often and how late a failed action is retried. */
export interface RetryPolicy {
  /** All attempts, the first included. */
  readonly attempts: number;
  /** Ceiling of the first wait, in milliseconds. */
  readonly baseMs: number;
  /** Ceiling of any wait, in milliseconds. */
  readonly maxMs: number;
}

/**
 * Returns the wait after failed attempt number `attempt` (from 1), in milliseconds.
 *
 * Exponential backoff with full jitter: any value between 0 and the ceiling, so that deliveries that failed
 * together do not return together. With `baseMs: 1000, maxMs: 60_000` the ceilings are 1 s, 2 s, 4 s, 8 s,
 * 16 s, 32 s and then 60 s.
 */
export function backoffMs(policy: RetryPolicy, attempt: number, random: Random): number {
  // Keeps the product finite; 2 ** 52 ms exceeds any maximum.
  const ceiling = Math.min(policy.maxMs, policy.baseMs * 2 ** Math.min(attempt - 1, 52));
  return Math.floor(random() * ceiling);
}
