/** Recognizes problems that have ended since the last check. */
import type { OperatorProblem } from '../attention/problem.ts';
import { patternMatches } from '../contract/event-pattern.ts';
import type { StatisticsView } from '../view/statistics-view.ts';

/**
 * Whether the store shows that a problem is over. The check for problems runs once a minute; a page must not show a
 * problem that an operator has just fixed.
 */
export function isOver(
  { facts }: Pick<OperatorProblem, 'facts'>,
  { received, by_handler }: Pick<StatisticsView, 'received' | 'by_handler'>,
): boolean {
  const hasCome = (
    since: number | null,
    matches: (one: StatisticsView['received'][number]) => boolean,
  ): boolean =>
    received.some((one) => matches(one) && Date.parse(one.last_received_at) > (since ?? -Infinity));
  switch (facts?.about) {
    case 'overdue':
      return hasCome(facts.lastAt, ({ kind }) => patternMatches(facts.pattern, kind));
    case 'silence':
    case 'missed-webhooks':
      return hasCome(
        facts.lastAt,
        ({ source, kind }) => source === facts.source && (facts.kind === null || kind === facts.kind),
      );
    case 'unregistered-handlers':
      return !by_handler.some(({ handler, pending }) => handler === facts.handler && pending > 0);
    default:
      return false;
  }
}
