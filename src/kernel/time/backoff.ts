import type { Random } from '../random.ts';

/**
 * When to try again.
 *
 * `attempts` counts every try, the first included. `baseMs` and `maxMs` are
 * milliseconds.
 */
export interface RetryPolicy {
  readonly attempts: number;
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * Milliseconds to wait after try number `attempt` (from 1) has failed.
 *
 * Exponential with full jitter: anywhere between 0 and the ceiling, so that
 * deliveries that failed together do not come back together. With
 * `baseMs: 1000, maxMs: 60_000` the ceilings are 1 s, 2 s, 4 s, 8 s, 16 s,
 * 32 s and from then on 60 s.
 */
export function backoffMs(policy: RetryPolicy, attempt: number, random: Random): number {
  // 2 ** 52 ms is beyond any maximum; the bound keeps the product finite.
  const ceiling = Math.min(policy.maxMs, policy.baseMs * 2 ** Math.min(attempt - 1, 52));
  return Math.floor(random() * ceiling);
}
