/** Tracks which problems begin and end from one check to the next. */
import { secondText } from '../kernel/text/age.ts';
import { problemKey, type OperatorProblem } from './problem.ts';

/** A problem ends when so many checks in a row do not find it, so that a flickering one is reported once. */
const CHECKS_TO_END = 2;

/** A problem with the time when it was first found. */
export interface TrackedProblem {
  readonly problem: OperatorProblem;
  /** Milliseconds since 1970. */
  readonly beganAt: number;
}

/** The difference between two checks. */
export interface ProblemChanges {
  readonly begun: readonly TrackedProblem[];
  readonly ended: readonly TrackedProblem[];
}

/** Turns checks for problems into their begins and ends. */
export interface ProblemTracker {
  /** Returns what changed. Call it once for each check: changes that are not confirmed return at the next. */
  compare(found: readonly OperatorProblem[], now: number): ProblemChanges;
  /** Takes the changes as known: called when they are reported. */
  confirm(changes: ProblemChanges): void;
}

/** @param known the problems that were reported and have not ended */
export function createProblemTracker(known: readonly TrackedProblem[] = []): ProblemTracker {
  const current = new Map(known.map((tracked) => [problemKey(tracked.problem), tracked]));
  /** The number of checks in a row that did not find a problem. */
  const missed = new Map<string, number>();

  return {
    compare(found, now) {
      const keys = new Set(found.map(problemKey));
      const begun = found
        .filter((problem) => !current.has(problemKey(problem)))
        .map((problem) => ({ problem, beganAt: problem.since ?? now }));
      const ended: TrackedProblem[] = [];
      for (const [key, tracked] of current) {
        const times = keys.has(key) ? 0 : (missed.get(key) ?? 0) + 1;
        missed.set(key, times);
        if (times >= CHECKS_TO_END) ended.push(inThePast(tracked, now));
      }
      return { begun, ended };
    },
    confirm({ begun, ended }) {
      for (const tracked of begun) current.set(problemKey(tracked.problem), tracked);
      for (const { problem } of ended) {
        current.delete(problemKey(problem));
        missed.delete(problemKey(problem));
      }
    },
  };
}

/** The problem with a summary for its end: the first one says what is no longer so. */
function inThePast({ problem, beganAt }: TrackedProblem, now: number): TrackedProblem {
  const { problem: kind, of, summary } = problem;
  const period = `from ${secondText(beganAt)} to ${secondText(now)}`;
  const past =
    kind === 'open-breaker'
      ? `the breaker of handler ${of ?? ''} is closed again; it was open ${period}`
      : `over; it lasted ${period}: ${summary}`;
  return { problem: { ...problem, summary: past }, beganAt };
}
