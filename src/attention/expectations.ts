/** Compares `PORTARIA_EXPECT` with the events that came. */
import type { Expectation } from '../config/read-expectations.ts';
import type { Contract } from '../contract/contract.ts';
import { patternMatches } from '../contract/event-pattern.ts';
import { suggest } from '../kernel/text/suggest.ts';
import type { MonitoringState } from '../store/monitoring.ts';
import type { OperatorProblem } from './problem.ts';
import { ageText, durationText } from '../kernel/text/age.ts';

/** Finds expectations that no event has met. One that never came is expected since the store was created. */
export function findUnmet(
  expectations: readonly Expectation[],
  { received, createdAt }: Pick<MonitoringState, 'received' | 'createdAt'>,
  now: number,
): readonly OperatorProblem[] {
  return expectations.flatMap(({ pattern, withinMs }) => {
    const matching = received.filter(({ kind }) => patternMatches(pattern, kind));
    const last = matching.length === 0 ? null : Math.max(...matching.map((one) => one.lastReceivedAt));
    const from = last ?? createdAt;
    if (now - from <= withinMs) return [];
    return [
      {
        problem: 'overdue' as const,
        of: pattern,
        since: from + withinMs,
        summary:
          last === null
            ? `no event of ${pattern} has ever arrived, and one is expected within ${durationText(withinMs)}`
            : `the last event of ${pattern} arrived at ${ageText(last, now)}, and one is expected within ${durationText(withinMs)}`,
        remedy: 'check that the provider still sends webhooks to this address, or correct PORTARIA_EXPECT',
        facts: { about: 'overdue' as const, pattern, lastAt: last, withinMs },
      },
    ];
  });
}

/** Warns of expectations whose pattern matches no kind of the contract: a misspelled one is never met. */
export function unknownExpectations(
  expectations: readonly Expectation[],
  contract: Contract,
): readonly string[] {
  const names = contract.kinds.map(({ kind }) => kind);
  return expectations
    .filter(({ pattern }) => contract.kindsMatching(pattern).length === 0)
    .map(({ pattern }) => {
      const meant = suggest(pattern, names);
      const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
      return `PORTARIA_EXPECT: ${pattern} matches no kind of the contract${hint}`;
    });
}
