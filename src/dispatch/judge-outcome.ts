import type { Runnable } from '../handle/load/registry.ts';
import { isDiscard, isGiveUp, isRetryLater } from '../handle/define/outcome.ts';
import { backoffMs, type RetryPolicy } from '../kernel/time/backoff.ts';
import type { Random } from '../kernel/random.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import type { RunEnd } from './time-limit.ts';

/** Longest wait that a handler may ask for, in milliseconds (a year): due times stay whole numbers. */
const MAX_WAIT_MS = 365 * 24 * 3_600_000;

/** Tries beyond the policy's that a delivery gets because the process ended while it ran. */
const CRASHES_FORGIVEN = 3;

/**
 * What becomes of the delivery, and what it tells of the handler: `well` when
 * it did its work (deciding against an event is work), `failed`, or `unknown`.
 */
export type Judgement =
  | { readonly verdict: 'succeeded'; readonly health: 'well' }
  | { readonly verdict: 'skipped'; readonly health: 'well' | 'unknown'; readonly reason: string }
  | {
      readonly verdict: 'retry';
      readonly health: 'failed' | 'unknown';
      readonly waitMs: number;
      readonly reason: string;
    }
  | { readonly verdict: 'dead'; readonly health: 'well' | 'failed' | 'unknown'; readonly reason: string }
  | { readonly verdict: 'released'; readonly health: 'failed' | 'unknown'; readonly reason: string };

/**
 * What a run's end means for its delivery.
 *
 * @param attempt the try that ended, from 1
 */
export function judgeOutcome(end: RunEnd, attempt: number, policy: RetryPolicy, random: Random): Judgement {
  switch (end.how) {
    case 'returned':
      return wished(end.value, attempt, policy) ?? { verdict: 'succeeded', health: 'well' };
    case 'threw':
      return wished(end.error, attempt, policy) ?? judgeFailure(end.error, attempt, policy, random);
    case 'timed-out':
      return failed(
        `timed out after ${String(end.afterMs)} ms${end.abandoned ? ' and did not heed its signal' : ''}`,
        attempt,
        policy,
        // What was abandoned may still be running: the whole wait gives it the most time to end.
        end.abandoned ? () => 1 : random,
      );
    case 'stopped':
      return { verdict: 'released', health: 'unknown', reason: end.because ?? 'stopping' };
  }
}

/** A failure that is no wish of the handler's. */
export function judgeFailure(
  error: unknown,
  attempt: number,
  policy: RetryPolicy,
  random: Random,
): Judgement {
  return failed(failureReason(error), attempt, policy, random);
}

/**
 * Judges without running, when its tries are more than used up; else `undefined`.
 *
 * A try that a crash cut short counts, yet what was not finished runs again:
 * so a delivery may exceed its tries. But not without end: one that takes the
 * process down every time must not do so at every start.
 */
export function judgeCrashes(attempt: number, policy: RetryPolicy): Judgement | undefined {
  if (attempt <= policy.attempts + CRASHES_FORGIVEN) return undefined;
  const reason =
    `not run again after ${String(attempt - 1)} tries of ${String(policy.attempts)}: ` +
    'the process kept ending while it ran, or fewer tries are allowed by now';
  return { verdict: 'dead', health: 'unknown', reason };
}

/** Nothing was tried: it is pending again and no try is burnt. */
export function released(reason: string): Judgement {
  return { verdict: 'released', health: 'unknown', reason };
}

export function retryPolicy(runnable: Runnable): RetryPolicy {
  return runnable.type === 'handler' ? runnable.handler.retry : runnable.machine.retry;
}

function failed(reason: string, attempt: number, policy: RetryPolicy, random: Random): Judgement {
  if (attempt >= policy.attempts) return { verdict: 'dead', health: 'failed', reason };
  return { verdict: 'retry', health: 'failed', reason, waitMs: backoffMs(policy, attempt, random) };
}

function wished(value: unknown, attempt: number, policy: RetryPolicy): Judgement | undefined {
  try {
    if (isDiscard(value))
      return { verdict: 'skipped', health: 'well', reason: wishReason(value, 'discarded') };
    if (isGiveUp(value)) return { verdict: 'dead', health: 'well', reason: wishReason(value, 'given up') };
    if (!isRetryLater(value)) return undefined;
    const reason = wishReason(value, 'asked to retry later');
    if (attempt >= policy.attempts) return { verdict: 'dead', health: 'unknown', reason };
    // A copy of the package that does not check its argument could say NaN.
    const waitMs = Math.min(Math.max(0, Math.ceil(value.ms) || 0), MAX_WAIT_MS);
    return { verdict: 'retry', health: 'unknown', reason, waitMs };
  } catch {
    // A proxy or getter that throws when looked at is no wish.
    return undefined;
  }
}

/** The handler's own words; its stack tells nothing, for the wish was made on purpose. */
function wishReason(wish: { readonly message: string }, otherwise: string): string {
  return wish.message === '' ? otherwise : failureReason(wish.message);
}
