/** What the watch observed. */
import type { OperatorProblem, ProblemFacts } from '../../attention/problem.ts';
import { patternMatches } from '../../contract/event-pattern.ts';
import type { StatisticsView } from '../../view/statistics-view.ts';
import type { Page } from '../page.ts';
import { handlerAddress } from '../components/event-cells.tsx';
import { problem, type Problem } from './problem.ts';

/** Problems that the numbers of this moment show. */
const COUNTED: ReadonlySet<OperatorProblem['problem']> = new Set([
  'store-unavailable',
  'dead-letters',
  'quarantine',
  'open-breaker',
  'oldest-pending',
  'paused',
]);

/** Whether a check alone sees a problem, and the store does not show that it is over. */
export function isObserved(found: OperatorProblem, statistics: StatisticsView): boolean {
  return !COUNTED.has(found.problem) && !isOver(found, statistics);
}

/** Says it in the words of the command line where the language of the page is English, or has none for it. */
export function observedProblem({ words, format, now, language }: Page, found: OperatorProblem): Problem {
  const { facts, summary, remedy } = found;
  const href = facts === undefined ? '/system' : causeAddress(facts);
  const own = words.watch.problems;
  if (facts !== undefined && own !== null)
    return { ...problem('warn', own.sentence(facts, format, now), href), note: own.remedy(facts) };
  return {
    ...problem('warn', sentenceOf(summary), href),
    note: sentenceOf(remedy),
    ...(language !== 'en' && { language: 'en' }),
  };
}

/** A text of the command line as a sentence of a page. A first word that is a name, such as charge.*, stays as it is. */
function sentenceOf(text: string): string {
  return `${text.replace(/^[a-z](?=[a-z]* )/u, (first) => first.toUpperCase()).replaceAll('`', '')}.`;
}

/**
 * Whether the store shows that a problem is over. The check for problems runs once a minute; a page must not show a
 * problem that an operator has just fixed.
 */
function isOver(
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

/** The page that shows the cause of a problem. */
function causeAddress(facts: ProblemFacts): string {
  const events = (filters: Readonly<Record<string, string>>): string =>
    `/events?${new URLSearchParams(filters).toString()}`;
  switch (facts.about) {
    case 'rejections':
      return '/senders#rejections';
    case 'observed':
      return events({ source: facts.source, flag: 'unverified' });
    case 'unknown-kinds':
      return events({ source: facts.source, flag: 'unrecognized' });
    case 'overdue':
      return events({ kind: facts.pattern });
    case 'unregistered-handlers':
    case 'stalled':
      return facts.handler === null ? '/handlers' : handlerAddress(facts.handler);
    case 'silence':
    case 'missed-webhooks':
      return '/senders#arrivals';
    case 'drift':
    case 'reconcile-late':
      return '/senders#provider';
    case 'moved-server':
    case 'backup-late':
    case 'disk-low':
      return '/system';
  }
}
