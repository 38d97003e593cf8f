import type { RetryPolicy } from '../../kernel/time/backoff.ts';
import type { BreakerPolicy } from './handler.ts';

/** What handlers and machines may set about how they are run. */
export interface PolicyOptions {
  /**
   * How often and when to try again. `attempts` counts every try, the first
   * included (8); `baseMs` and `maxMs` bound the waits in milliseconds (1000
   * and 300000: at most 1 s, 2 s, 4 s, ... 64 s between the tries).
   */
  readonly retry?: Partial<RetryPolicy>;
  /**
   * Milliseconds after which `ctx.signal` aborts and the try has failed (30000).
   * Nobody can stop a promise: a handler that does not heed the signal holds its
   * lane for as long again (2 s at least, 5 s at most) and is then left behind,
   * so that the next try, or the next event, may run beside what is left of it.
   */
  readonly timeoutMs?: number;
  /** When to pause it because it fails for everybody: {failures: 20, subjects: 5}. */
  readonly breaker?: Partial<BreakerPolicy>;
}

export interface Policies {
  readonly retry: RetryPolicy;
  readonly timeoutMs: number;
  readonly breaker: BreakerPolicy;
}

/** Fills in what was not set. */
export function resolvePolicies(options: PolicyOptions): Policies {
  const { attempts = 8, baseMs = 1000 } = options.retry ?? {};
  // A longer base alone raises the ceiling with it, or it would be cut without a word.
  const { maxMs = Math.max(300_000, baseMs) } = options.retry ?? {};
  const { failures = 20, subjects = 5 } = options.breaker ?? {};
  return {
    retry: { attempts, baseMs, maxMs },
    timeoutMs: options.timeoutMs ?? 30_000,
    breaker: { failures, subjects },
  };
}
