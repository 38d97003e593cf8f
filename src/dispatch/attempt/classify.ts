/** Decides the outcome of a delivery by how its attempt ended: succeeded, skipped, retry, dead or released. */
import type { Runnable } from '../../handle/load/registry.ts';
import type { Policies } from '../../handle/define/policies.ts';
import { isDiscard, isGiveUp, isRetryLater } from '../../handle/define/outcome.ts';
import { errorName, failureReason } from '../../kernel/failure-reason.ts';
import type { Random } from '../../kernel/random.ts';
import { backoffMs, type RetryPolicy } from '../../kernel/time/backoff.ts';
import type { Failure } from '../../telemetry/tracing.ts';
import type { RunEnd } from './time-limit.ts';

/** A year in milliseconds: the longest wait that a handler may request. */
const MAX_WAIT_MS = 365 * 24 * 3_600_000;

/** Attempts beyond the policy's, for attempts that ended with the process. */
const FORGIVEN_CRASHES = 3;

/**
 * How an attempt ended, and what that says about its handler's health:
 * `healthy` when the handler did its work (discarding an event is work),
 * `failed`, `gave-up` (on this event, or by mistake on every one), or `unknown`.
 */
export type Outcome =
  | { readonly status: 'succeeded'; readonly health: 'healthy' }
  | { readonly status: 'skipped'; readonly health: 'healthy' | 'unknown'; readonly reason: string }
  | {
      readonly status: 'retry';
      readonly health: 'failed' | 'unknown';
      readonly waitMs: number;
      readonly reason: string;
    }
  | { readonly status: 'dead'; readonly health: 'failed' | 'gave-up' | 'unknown'; readonly reason: string }
  /** Pending again, and the attempt does not count. `dueAt` is when its rate may allow it; without, it is due at once. */
  | {
      readonly status: 'released';
      readonly health: 'failed' | 'unknown';
      readonly reason: string;
      readonly dueAt?: number;
    };

/**
 * Classifies the end of a run.
 *
 * @param attempt number of the attempt that ended, from 1
 */
export function classify(end: RunEnd, attempt: number, policy: RetryPolicy, random: Random): Outcome {
  switch (end.how) {
    case 'returned':
      return requested(end.value, attempt, policy) ?? { status: 'succeeded', health: 'healthy' };
    case 'threw':
      return requested(end.error, attempt, policy) ?? classifyFailure(end.error, attempt, policy, random);
    case 'timed-out':
      return failed(
        `timed out after ${String(end.afterMs)} ms${end.abandoned ? ' and ignored its abort signal' : ''}`,
        attempt,
        policy,
        // An abandoned run may still be running: the longest wait gives it the most time to end.
        end.abandoned ? () => 1 : random,
      );
    case 'stopped':
      return released(end.because ?? 'stopping');
  }
}

/** Classifies an error that is not an outcome requested by the handler. */
export function classifyFailure(
  error: unknown,
  attempt: number,
  policy: RetryPolicy,
  random: Random,
): Outcome {
  return failed(failureReason(error), attempt, policy, random);
}

/**
 * Returns `dead` for a delivery that must not run again because it kept ending
 * the process; `undefined` when it may run.
 *
 * An attempt that a crash cut short counts, but an unfinished delivery runs
 * again. So a delivery may exceed its attempts, by a few only: one that crashes
 * the process every time must not do so at every start.
 */
export function classifyCrashes(attempt: number, policy: RetryPolicy): Outcome | undefined {
  if (attempt <= policy.attempts + FORGIVEN_CRASHES) return undefined;
  const reason =
    `not run again after ${String(attempt - 1)} attempts of ${String(policy.attempts)}: ` +
    'the process kept ending while it ran, or the policy now allows fewer attempts';
  return { status: 'dead', health: 'unknown', reason };
}

export function released(reason: string): Extract<Outcome, { status: 'released' }> {
  return { status: 'released', health: 'unknown', reason };
}

export function retryPolicy(runnable: Runnable): RetryPolicy {
  return policiesOf(runnable).retry;
}

/** Whether the lane of a dead letter waits behind it. */
export function holdsLane(runnable: Runnable | undefined): boolean {
  return runnable !== undefined && policiesOf(runnable).afterDeadLetter === 'hold';
}

export function policiesOf(runnable: Runnable): Policies {
  return runnable.type === 'handler' ? runnable.handler : runnable.machine;
}

/** Effects run for changes that the machine has accepted: a later supersession does not skip them. */
export function wantsStale(runnable: Runnable): boolean {
  return runnable.type === 'effects' || (runnable.type === 'handler' && runnable.handler.stale);
}

/** What a trace says of an attempt that has failed; undefined for any other, such as one that asked for a later time. */
export function failureOf(end: RunEnd, outcome: Outcome): Failure | undefined {
  if (outcome.status !== 'dead' && (outcome.status !== 'retry' || outcome.health !== 'failed'))
    return undefined;
  const { health, reason } = outcome;
  if (health !== 'failed') return { type: health === 'gave-up' ? health : 'retry-later', reason };
  return { type: end.how === 'threw' ? errorName(end.error) : end.how, reason };
}

function failed(reason: string, attempt: number, policy: RetryPolicy, random: Random): Outcome {
  if (attempt >= policy.attempts) return { status: 'dead', health: 'failed', reason };
  return { status: 'retry', health: 'failed', reason, waitMs: backoffMs(policy, attempt, random) };
}

/** The outcome that a handler requested by what it returned or threw. */
function requested(value: unknown, attempt: number, policy: RetryPolicy): Outcome | undefined {
  try {
    if (isDiscard(value))
      return { status: 'skipped', health: 'healthy', reason: requestReason(value, 'discarded') };
    if (isGiveUp(value))
      return { status: 'dead', health: 'gave-up', reason: requestReason(value, 'given up') };
    if (!isRetryLater(value)) return undefined;
    const reason = requestReason(value, 'asked to retry later');
    if (attempt >= policy.attempts) return { status: 'dead', health: 'unknown', reason };
    // Another copy of the package may not have checked its argument: NaN becomes 0.
    const waitMs = Math.min(Math.max(0, Math.ceil(value.ms) || 0), MAX_WAIT_MS);
    return { status: 'retry', health: 'unknown', reason, waitMs };
  } catch {
    // A proxy or getter that throws on inspection is not a requested outcome.
    return undefined;
  }
}

/** The handler's message without a stack: a requested outcome is no error to locate. */
function requestReason(request: { readonly message: string }, fallback: string): string {
  return request.message === '' ? fallback : failureReason(request.message);
}
