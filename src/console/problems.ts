/** The problems that the overview shows. */
import type { OperatorProblem, ProblemFacts } from '../attention/problem.ts';
import type { Queries } from '../store/queries.ts';
import { pauseView } from '../view/pause-view.ts';
import { pauseSentence } from './components/pauses.tsx';
import type { DispatchView } from '../view/dispatch-view.ts';
import type { StatisticsView } from '../view/statistics-view.ts';
import { errorText } from '../view/payload/unmasking.ts';
import { subjectAddress } from './components/event-cells.tsx';
import { subjectName } from '../event/subject.ts';
import type { ConsoleDeps } from './console-deps.ts';
import type { Page } from './page.ts';
import type { Pause } from '../store/pauses.ts';
import { patternMatches } from '../contract/event-pattern.ts';

/** Milliseconds that an event may be unfinished before the overview says so. */
const SLOW_MS = 300_000;
/** The newest dead deliveries of a handler that are read to say why they failed. */
const MAX_READ = 200;
/** Handlers whose dead deliveries are read. */
const MAX_HANDLERS = 10;
/** Pauses of lanes that are named one by one. */
const MAX_LANES = 3;
const MAX_ERROR = 160;

/** What needs an operator: a sentence, and the page on which to fix it. */
export interface Problem {
  readonly tone: 'bad' | 'warn';
  readonly sentence: string;
  readonly href: string;
  /** What to do, where the page of `href` does not offer it. */
  readonly remedy?: string;
  /** The language of the sentence, when it is not the page's. */
  readonly language?: string;
}

/** What the problems of this moment are found in. */
export interface Findings {
  readonly page: Page;
  readonly store: Pick<Queries, 'deliveries'> & { healthy(): boolean };
  readonly statistics: StatisticsView;
  readonly dispatch: DispatchView;
  readonly pauses: readonly Pause[];
  readonly notReady: ReturnType<ConsoleDeps['notReady']>;
  /** Problems of the last check. Those that are counts are left out: the page counts them itself. */
  readonly observed: readonly OperatorProblem[];
}

/** Problems that the numbers of this moment show. */
const COUNTED: ReadonlySet<OperatorProblem['problem']> = new Set([
  'store-unavailable',
  'dead-letters',
  'quarantine',
  'open-breaker',
  'oldest-pending',
  'paused',
]);

/** Finds what needs an operator, the worst first. */
export async function findProblems(findings: Findings): Promise<readonly Problem[]> {
  const { page, store, statistics, dispatch, notReady, observed } = findings;
  const { words, now } = page;
  const since = statistics.oldest_pending_at;
  return [
    ...(store.healthy() ? [] : [problem('bad', words.problems.storeFails, '/system')]),
    ...notReady.map((reason) => problem('bad', words.overview.notReady[reason], '/system')),
    ...(await deadLetters(findings)),
    ...dispatch.open_breakers.map(({ handler, reason }) =>
      problem(
        'bad',
        words.overview.breakerOpen(handler) + words.problems.lastFailure(cut(reason)),
        '/handlers',
      ),
    ),
    ...pausedProblems(findings),
    ...statistics.quarantine_by_reason.map(({ reason, held }) =>
      problem('warn', words.problems.reasons[reason](held), '/quarantine'),
    ),
    ...(since !== null && now - Date.parse(since) > SLOW_MS ? [await oldestWaiting(findings, since)] : []),
    ...observed
      .filter((each) => !COUNTED.has(each.problem) && !isOver(each, statistics))
      .map((each) => observedProblem(page, each)),
  ];
}

/** Names the lane that has waited longest, and why. Its oldest delivery is its head. */
async function oldestWaiting({ page, store }: Findings, since: string): Promise<Problem> {
  const { words, format, now } = page;
  const oldestIn = async (status: 'pending' | 'running') =>
    (await store.deliveries({ status }, { order: 'oldest', limit: 1 }))[0];
  // Its next attempt may be running just now.
  const oldest = (await oldestIn('pending')) ?? (await oldestIn('running'));
  const age = format.relative(since, now);
  if (oldest === undefined) return problem('warn', words.overview.waiting(age), '/events?status=pending');
  const { handler, attempts, lastError } = oldest;
  const subject = subjectName(oldest.subject);
  const error = lastError === null ? '' : cut(shortError(lastError));
  const sentence = words.problems.stuck(subject, handler, age, attempts) + (error === '' ? '' : ` ${error}`);
  return problem('warn', sentence, subjectAddress(subject));
}

/** An error without personal data, and without where in the code it was thrown. */
function shortError(error: string): string {
  return errorText(error, { unmask: false }).replace(/ \(at .*\)$/su, '');
}

async function deadLetters({ page, store, statistics }: Findings): Promise<readonly Problem[]> {
  const failing = statistics.by_handler.filter(({ dead }) => dead > 0);
  return Promise.all(
    failing.map(async ({ handler, dead }, at) => {
      const why = at < MAX_HANDLERS ? await commonError(page, store, handler) : '';
      const sentence = page.words.overview.dead(dead, handler) + why;
      return problem('bad', sentence, `/failures?handler=${encodeURIComponent(handler)}`);
    }),
  );
}

/** Says which error the newest dead deliveries of a handler share. Errors that differ only in numbers count as the same. */
async function commonError(page: Page, store: Findings['store'], handler: string): Promise<string> {
  const newest = await store.deliveries({ status: 'dead', handler }, { order: 'newest', limit: MAX_READ });
  const errors = newest.flatMap(({ lastError }) => lastError ?? []);
  const groups = [...Map.groupBy(errors, (error) => error.replaceAll(/\d+/gu, '0')).values()];
  const [most] = groups.toSorted((one, other) => other.length - one.length);
  const error = most?.[0];
  if (most === undefined || error === undefined) return '';
  const shown = cut(shortError(error));
  const { eachTime, mostOften } = page.words.problems;
  return groups.length === 1 ? eachTime(shown) : mostOften(shown, most.length, newest.length);
}

/** A sentence for each pause, but one for many lanes of a handler. */
function pausedProblems({ page, pauses }: Findings): readonly Problem[] {
  const { words } = page;
  const lanes = Map.groupBy(
    pauses.filter(({ subject }) => subject !== null),
    ({ handler }) => handler ?? '',
  );
  const many = [...lanes].filter(([, all]) => all.length > MAX_LANES);
  const named = pauses.filter(
    ({ subject, handler }) => subject === null || !many.some(([name]) => name === handler),
  );
  return [
    ...named.map((pause) => {
      const view = pauseView(pause);
      const sentence = pauseSentence(page, { ...view, reason: cut(view.reason) });
      return problem('warn', sentence, '/handlers#pauses');
    }),
    ...many.map(([handler, all]) =>
      problem('warn', words.pauses.lanes(all.length, handler), '/handlers#pauses'),
    ),
  ];
}

/** Says it in the words of the command line where the language of the page is English, or has none for it. */
function observedProblem({ words, format, now, language }: Page, found: OperatorProblem): Problem {
  const { facts, summary, remedy } = found;
  const href = facts === undefined ? '/system' : pageOf(facts);
  const own = words.watch.problems;
  if (facts !== undefined && own !== null)
    return { ...problem('warn', own.sentence(facts, format, now), href), remedy: own.remedy(facts) };
  return {
    ...problem('warn', sentenceOf(summary), href),
    remedy: sentenceOf(remedy),
    ...(language !== 'en' && { language: 'en' }),
  };
}

/** A text of the command line as a sentence of a page. A first word that is a name, such as charge.*, stays as it is. */
function sentenceOf(text: string): string {
  return `${text.replace(/^[a-z](?=[a-z]* )/u, (first) => first.toUpperCase()).replaceAll('`', '')}.`;
}

/** The page that shows the cause of a problem. */
function pageOf(facts: ProblemFacts): string {
  const events = (filters: Readonly<Record<string, string>>): string =>
    `/events?${new URLSearchParams(filters).toString()}`;
  switch (facts.about) {
    case 'rejections':
      return '/system#rejections';
    case 'observed':
      return events({ source: facts.source, flag: 'unverified' });
    case 'unknown-kinds':
      return events({ source: facts.source, flag: 'unrecognized' });
    case 'overdue':
      return events({ kind: facts.pattern });
    case 'unregistered-handlers':
    case 'stalled':
      return '/handlers';
    case 'silence':
    case 'missed-webhooks':
      return '/system#arrivals';
    case 'drift':
    case 'reconcile-late':
      return '/reconcile';
    case 'moved-server':
    case 'disk-low':
      return '/system';
  }
}

function problem(tone: Problem['tone'], sentence: string, href: string): Problem {
  return { tone, sentence, href };
}

function cut(text: string): string {
  return text.length > MAX_ERROR ? `${text.slice(0, MAX_ERROR)}…` : text;
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
