/** Resolves the policies of handlers: retries, timeouts and breakers, with defaults and bounds. */
import type { RetryPolicy } from '../../kernel/time/backoff.ts';

/** When the circuit breaker pauses a handler: after enough failures of enough subjects, or enough give-ups. */
export interface BreakerPolicy {
  /** Failures without a success between them, counted over all subjects. */
  readonly failures: number;
  /** Different subjects among these failures. */
  readonly subjects: number;
  /** Different subjects on whose events the handler gave up without a success between them. */
  readonly giveUps: number;
}

/** How deliveries to a handler or machine run. Every field is optional. */
export interface PolicyOptions {
  /**
   * When to retry a failed delivery. `attempts` counts all attempts, including
   * the first (default 8). `baseMs` and `maxMs` bound the waits, in milliseconds
   * (defaults 1000 and 300000). Waits are random below a ceiling that doubles
   * from `baseMs` up to `maxMs`: by default 1 s, 2 s, 4 s, … 64 s.
   */
  readonly retry?: Partial<RetryPolicy>;
  /**
   * Milliseconds until `context.signal` aborts and the attempt fails (default 30000).
   * A promise cannot be stopped: a handler that ignores the signal blocks its
   * lane for the same time again (at least 2 s, at most 5 s). The dispatcher then
   * abandons it, and the next attempt or event may run concurrently with it.
   */
  readonly timeoutMs?: number;
  /**
   * When to pause the handler, because it fails for every subject (default `{failures: 20, subjects: 5}`)
   * or gives up on the events of every subject (default `{giveUps: 5}`).
   */
  readonly breaker?: Partial<BreakerPolicy>;
  /**
   * What happens to the deliveries behind one that has failed for good: the lane continues with the next (`continue`,
   * the default), or waits until an operator retries or discards it, or lets the lane go on (`hold`). A held machine
   * waits with its effects on the subject. Refused with `order: 'none'`, where nothing waits.
   */
  readonly afterDeadLetter?: AfterDeadLetter;
  /**
   * How the OpenTelemetry span of an attempt relates to that of the event: a trace of its own with a link to it (`link`,
   * the default), or its child.
   */
  readonly trace?: TraceParent;
}

/** How a span relates to where its event came from. */
export type TraceParent = 'link' | 'child';

/** What a lane does behind a dead letter. */
export type AfterDeadLetter = 'continue' | 'hold';

/** Policies with every default filled in. */
export interface Policies {
  readonly retry: RetryPolicy;
  readonly timeoutMs: number;
  readonly breaker: BreakerPolicy;
  readonly afterDeadLetter: AfterDeadLetter;
  readonly trace: TraceParent;
}

export function resolvePolicies(options: PolicyOptions): Policies {
  const { attempts = 8, baseMs = 1000 } = options.retry ?? {};
  // Without this maximum, a `baseMs` above 300000 would be capped silently.
  const { maxMs = Math.max(300_000, baseMs) } = options.retry ?? {};
  const { failures = 20, subjects = 5, giveUps = 5 } = options.breaker ?? {};
  return {
    retry: { attempts, baseMs, maxMs },
    timeoutMs: options.timeoutMs ?? 30_000,
    breaker: { failures, subjects, giveUps },
    afterDeadLetter: options.afterDeadLetter ?? 'continue',
    trace: options.trace ?? 'link',
  };
}
