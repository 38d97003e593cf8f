import type { BreakerPolicy } from '../handle/define/policies.ts';

/** The first pause, in milliseconds. Each probe that fails doubles it, */
const FIRST_PAUSE_MS = 1_000;
/** up to this. No jitter: one process probes, so nobody comes back together. */
const MAX_PAUSE_MS = 60_000;

/**
 * Whether a handler is fit to be called, judged by how it fared.
 *
 *     closed --(enough failures in a row, of enough subjects)--> open
 *     open --(its pause is over, and a delivery is there to try with)--> probing
 *     probing --(success)--> closed      probing --(failure)--> open, twice as long
 *     probing --(neither)--> open: as long again when it asked to wait, else
 *                            its pause is over and the next delivery probes
 *
 * Times are milliseconds of a monotonic clock.
 */
export type BreakerState =
  | {
      readonly phase: 'closed';
      /** Failures in a row. */
      readonly failures: number;
      /** Their subjects, no more of them than the policy asks for. */
      readonly subjects: readonly string[];
    }
  | { readonly phase: 'open'; readonly until: number; readonly pauseMs: number; readonly reason: string }
  | { readonly phase: 'probing'; readonly pauseMs: number; readonly reason: string };

export const closedBreaker: BreakerState = { phase: 'closed', failures: 0, subjects: [] };

/** How many deliveries the handler may get now: `any`, one as a `probe`, or `none`. */
export function admission(state: BreakerState, now: number): 'any' | 'probe' | 'none' {
  if (state.phase === 'closed') return 'any';
  return state.phase === 'open' && now >= state.until ? 'probe' : 'none';
}

/** One delivery sets out to see whether the handler is well again. */
export function startProbe(state: BreakerState, now: number): BreakerState {
  if (admission(state, now) !== 'probe' || state.phase !== 'open') return state;
  return { phase: 'probing', pauseMs: state.pauseMs, reason: state.reason };
}

/**
 * After a success. While the breaker is not closed only its probe's counts:
 * what set out before tells of the time before.
 */
export function afterSuccess(state: BreakerState, probe: boolean): BreakerState {
  return state.phase === 'closed' || (state.phase === 'probing' && probe) ? closedBreaker : state;
}

export interface BreakerFailure {
  /** Source and subject, as one text. */
  readonly subject: string;
  readonly reason: string;
  /** Whether it was the probe that failed. */
  readonly probe: boolean;
}

/** After a failure. Those of deliveries that set out before the breaker opened change nothing. */
export function afterFailure(
  state: BreakerState,
  failure: BreakerFailure,
  policy: BreakerPolicy,
  now: number,
): BreakerState {
  if (state.phase === 'closed') {
    const failures = state.failures + 1;
    const subjects = noted(state.subjects, failure.subject, policy.subjects);
    const enough = failures >= policy.failures && subjects.length >= policy.subjects;
    return enough ? open(FIRST_PAUSE_MS, failure.reason, now) : { phase: 'closed', failures, subjects };
  }
  if (state.phase === 'probing' && failure.probe) {
    return open(Math.min(state.pauseMs * 2, MAX_PAUSE_MS), failure.reason, now);
  }
  return state;
}

/**
 * After a probe that told nothing. When it never got to ask (`tried` is false)
 * another may probe at once; when the handler asked to wait, the pause goes on
 * as long as the last, or each of thousands of deliveries would ask in turn.
 */
export function afterNothingLearnt(
  state: BreakerState,
  { probe, tried }: { readonly probe: boolean; readonly tried: boolean },
  now: number,
): BreakerState {
  if (state.phase !== 'probing' || !probe) return state;
  return { ...state, phase: 'open', until: tried ? now + state.pauseMs : now };
}

function open(pauseMs: number, reason: string, now: number): BreakerState {
  return { phase: 'open', until: now + pauseMs, pauseMs, reason };
}

/** Bounded, so that a long row of failures costs no memory. */
function noted(subjects: readonly string[], subject: string, most: number): readonly string[] {
  return subjects.length >= most || subjects.includes(subject) ? subjects : [...subjects, subject];
}
