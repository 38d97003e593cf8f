/** The states of a circuit breaker, as pure functions. */
import type { BreakerPolicy } from '../../handle/define/policies.ts';

/** Milliseconds for which a breaker opens first. Each probe that fails doubles them. */
const FIRST_OPEN_MS = 1_000;

/** Milliseconds for which a breaker stays open, at most. Without jitter: each process probes alone. */
const MAX_OPEN_MS = 60_000;

/**
 * State of a handler's circuit breaker. Times are milliseconds of a monotonic clock.
 *
 *     closed --(enough failures in a row, of enough subjects)--> open
 *     closed --(give-ups in a row, of enough subjects)--> open
 *     open --(its time is over and a delivery is due)--> probing
 *     probing --(success)--> closed
 *     probing --(failure or give-up)--> open, for twice as long
 *     probing --(inconclusive)--> open: for as long again if the handler asked
 *                                 to wait, otherwise the next delivery probes
 */
export type BreakerState =
  | {
      readonly phase: 'closed';
      /** Failures in a row. */
      readonly failures: number;
      /** Subjects of these failures, as many as the policy needs. */
      readonly subjects: readonly string[];
      /** Subjects of the give-ups in a row. Failures between them neither count nor end the row. */
      readonly givenUp: readonly string[];
    }
  | (Opening & { readonly phase: 'open'; readonly until: number })
  | (Opening & { readonly phase: 'probing' });

interface Opening {
  readonly openMs: number;
  readonly reason: string;
  /** Whether the last failure was a give-up. */
  readonly gaveUp: boolean;
  /** Sources that failed in this round of probes. */
  readonly sources: readonly string[];
  /** Rounds of probes so far: a round ends when a source fails again. */
  readonly rounds: number;
}

export const closedBreaker: BreakerState = { phase: 'closed', failures: 0, subjects: [], givenUp: [] };

/** Which deliveries the handler may get now: `any`, one `probe`, or `none`. */
export function admission(state: BreakerState, now: number): 'any' | 'probe' | 'none' {
  if (state.phase === 'closed') return 'any';
  return state.phase === 'open' && now >= state.until ? 'probe' : 'none';
}

/** Starts a probe, if the breaker admits one. */
export function startProbe(state: BreakerState, now: number): BreakerState {
  if (admission(state, now) !== 'probe' || state.phase !== 'open') return state;
  const { openMs, reason, gaveUp, sources, rounds } = state;
  return { phase: 'probing', openMs, reason, gaveUp, sources, rounds };
}

/** Which due delivery probes a handler. */
export interface ProbeChoice {
  readonly from: 'oldest' | 'newest';
  /** A delivery of another source is preferred. */
  readonly exceptSources: readonly string[];
}

/**
 * Which delivery is the better probe. After give-ups the sources take turns, and
 * every other round takes the newest delivery: a thousand events that the handler
 * rejects rightly must not delay the others by a thousand probes.
 */
export function probeFrom(state: BreakerState): ProbeChoice {
  if (state.phase !== 'open' || !state.gaveUp) return { from: 'oldest', exceptSources: [] };
  return { from: state.rounds % 2 === 0 ? 'newest' : 'oldest', exceptSources: state.sources };
}

/** Only the probe closes a breaker: other successes began before it opened. */
export function afterSuccess(state: BreakerState, probe: boolean): BreakerState {
  return state.phase === 'closed' || (state.phase === 'probing' && probe) ? closedBreaker : state;
}

export interface BreakerFailure {
  readonly source: string;
  /** Source and subject, as one string. */
  readonly subject: string;
  readonly reason: string;
  /** Whether the handler gave up on the event, instead of failing. */
  readonly gaveUp: boolean;
  /** Whether the failed delivery was the probe. */
  readonly probe: boolean;
}

/** Failures of deliveries that began before the breaker opened change nothing. */
export function afterFailure(
  state: BreakerState,
  failure: BreakerFailure,
  policy: BreakerPolicy,
  now: number,
): BreakerState {
  const { source, subject, reason, gaveUp } = failure;
  if (state.phase === 'closed' && gaveUp) {
    const givenUp = withSubject(state.givenUp, subject, policy.giveUps);
    if (givenUp.length < policy.giveUps) return { ...state, givenUp };
    const why = `gave up on events of ${String(givenUp.length)} subjects in a row, the last time with: ${reason}`;
    return open({ openMs: FIRST_OPEN_MS, reason: why, gaveUp, sources: [source], rounds: 0 }, now);
  }
  if (state.phase === 'closed') {
    const failures = state.failures + 1;
    const subjects = withSubject(state.subjects, subject, policy.subjects);
    if (failures < policy.failures || subjects.length < policy.subjects)
      return { ...state, failures, subjects };
    return open({ openMs: FIRST_OPEN_MS, reason, gaveUp, sources: [source], rounds: 0 }, now);
  }
  if (state.phase === 'probing' && failure.probe) {
    const openMs = Math.min(state.openMs * 2, MAX_OPEN_MS);
    const isNewRound = state.sources.includes(source);
    const sources = isNewRound ? [source] : [...state.sources, source];
    return open({ openMs, reason, gaveUp, sources, rounds: state.rounds + (isNewRound ? 1 : 0) }, now);
  }
  return state;
}

/**
 * After a probe that neither succeeded nor failed. If it did not run, another
 * may probe at once. If the handler asked to wait, it opens for as long again: otherwise
 * each of thousands of deliveries would ask in turn.
 */
export function afterInconclusive(
  state: BreakerState,
  { probe, ran }: { readonly probe: boolean; readonly ran: boolean },
  now: number,
): BreakerState {
  if (state.phase !== 'probing' || !probe) return state;
  return { ...state, phase: 'open', until: ran ? now + state.openMs : now };
}

function open(opening: Opening, now: number): BreakerState {
  return { phase: 'open', until: now + opening.openMs, ...opening };
}

/** Bounded, so that a long run of failures costs no memory. */
function withSubject(subjects: readonly string[], subject: string, max: number): readonly string[] {
  return subjects.length >= max || subjects.includes(subject) ? subjects : [...subjects, subject];
}
