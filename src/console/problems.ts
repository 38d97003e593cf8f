/** The problems that the overview shows. */
import type { OperatorProblem } from '../attention/problem.ts';
import { isNoAddress } from '../attention/rejections.ts';
import { HOUR_MS } from '../kernel/time/durations.ts';
import { errorKind } from '../kernel/text/error-kind.ts';
import { say } from '../kernel/text/sentences.ts';
import { heldOfProblem } from '../operate/show/held-webhooks.ts';
import type { JobRecord } from '../store/jobs.ts';
import type { RejectionCount } from '../store/monitoring.ts';
import type { FailureGroup, Failures, Plans } from '../store/plans.ts';
import type { DeliveryRecord, Queries } from '../store/queries.ts';
import { instantText } from '../view/instant-text.ts';
import { pauseView } from '../view/pause-view.ts';
import { MAX_NAMED } from './components/groups.tsx';
import { pauseAddress, pauseSentence } from './components/pauses.tsx';
import type { DispatchView } from '../view/dispatch-view.ts';
import type { StatisticsView } from '../view/statistics-view.ts';
import { problemGroupView } from '../view/failure-view.ts';
import { shortError } from '../view/payload/unmasking.ts';
import { goesOn } from './goes-on.ts';
import { findNewValues } from './new-values.ts';
import { openAddress } from './components/form-fields.tsx';
import { causeAddress } from './cause-address.ts';
import { isUnreadable } from '../event/delivery.ts';
import {
  failuresAddress,
  handlerAddress,
  problemAddress,
  subjectAddress,
} from './components/event-cells.tsx';
import { subjectName } from '../event/subject.ts';
import type { ConsoleDeps } from './console-deps.ts';
import type { Page } from './page.ts';
import { planAddress } from './plan-address.ts';
import { createPauseLookup, type Pause, type PauseLookup, type Pauses } from '../store/pauses.ts';
import { patternMatches } from '../contract/event-pattern.ts';

/** Milliseconds that an event may wait for anything but a pause before the overview says so. */
const SLOW_MS = 60_000;
/** Failures of a delivery after which its subject is stuck. */
const STUCK_AFTER = 3;
/** Unfinished deliveries of a handler that are looked at. */
const MAX_READ = 50;
/** Handlers, and kinds of errors, whose unfinished deliveries are looked at. */
const MAX_GROUPS = 10;
/** Webhooks to a path within two hours that no scanner sends, and paths that are named. */
const [MIN_MISTYPED, MAX_PATHS] = [10, 2];
/** Problems of the quarantine that are named one by one. */
const MAX_HELD = 3;
/** Pauses of lanes that are named one by one. */
const MAX_LANES = 3;
/** Events that are counted for a lane. */
const MAX_COUNTED = 10_000;
const MAX_ERROR = 160;
/** Milliseconds for which a job that ended early is a problem. */
const SHIFT_MS = 12 * HOUR_MS;

/** What needs an operator: a sentence, and the page on which to fix it. */
export interface Problem {
  readonly tone: 'bad' | 'warn';
  readonly sentence: string;
  readonly href: string;
  /** What the page of `href` offers first, where that is not what its kind of page offers. */
  readonly action?: string;
  /** What a check said, in English whatever the language of the page. */
  readonly quoted?: string;
  /** What to do before that, on another page. */
  readonly before?: { readonly href: string; readonly action: string };
  /** What to do, where the page of `href` does not offer it. */
  readonly remedy?: string;
  /** The language of the sentence, when it is not the page's. */
  readonly language?: string;
}

/** What the problems of this moment are found in. */
export interface Findings {
  readonly page: Page;
  readonly store: Queries &
    Pick<Failures, 'failureGroups'> &
    Pick<Pauses, 'pausedDeliveries'> &
    Pick<Plans, 'problemGroups'> & { healthy(): boolean };
  readonly statistics: StatisticsView;
  readonly dispatch: DispatchView;
  readonly pauses: readonly Pause[];
  readonly rejections: readonly RejectionCount[];
  /** The newest jobs. */
  readonly jobs: readonly JobRecord[];
  readonly notReady: ReturnType<ConsoleDeps['notReady']>;
  /** Problems of the last check. Those that are counts are left out: the page counts them itself. */
  readonly observed: readonly OperatorProblem[];
}

type Looked = Findings & { readonly paused: PauseLookup };

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
export async function findProblems(found: Findings): Promise<readonly Problem[]> {
  const findings = { ...found, paused: createPauseLookup(found.pauses) };
  const { page, store, statistics, dispatch, notReady, observed } = findings;
  const { words, now } = page;
  const since = statistics.oldest_pending_at;
  const isSlow = since !== null && now - Date.parse(since) > SLOW_MS;
  const groups = await store.failureGroups({});
  const stuck = await retrying(findings, groups);
  return [
    ...(store.healthy() ? [] : [problem('bad', words.problems.storeFails, '/system')]),
    ...notReady.map((reason) => problem('bad', words.overview.notReady[reason], '/system')),
    ...deadLetters(findings, groups),
    ...stuck.map((each) => each.problem),
    ...dispatch.open_breakers.map(({ handler, reason }) =>
      problem(
        'bad',
        words.overview.breakerOpen(handler) + words.problems.lastFailure(cut(reason)),
        handlerAddress(handler),
      ),
    ),
    ...(await pausedProblems(findings)),
    ...halfDone(findings),
    ...(statistics.quarantine_held > 0 ? await heldProblems(findings) : []),
    ...(await findNewValues(page, store)).map(({ sentence, href }) => problem('warn', sentence, href)),
    ...mistyped(findings),
    ...(isSlow ? await waiting(findings, stuck) : []),
    ...observed
      .filter((each) => !COUNTED.has(each.problem) && !isOver(each, statistics))
      .map((each) => observedProblem(page, each)),
  ];
}

function hasOpenBreaker({ open_breakers: open }: DispatchView, name: string): boolean {
  return open.some(({ handler }) => handler === name);
}

/** Subjects whose deliveries keep failing: one sentence for each kind of error. A pause hides none of them. */
async function retrying(
  { page, store, dispatch, paused }: Looked,
  groups: readonly FailureGroup[],
): Promise<readonly Stuck[]> {
  const { words, format, now } = page;
  const failing = groups
    .filter((group) => group.failing > 0 && !hasOpenBreaker(dispatch, group.handler))
    .slice(0, MAX_GROUPS);
  const found = failing.map(async ({ handler, error, lastAt }): Promise<readonly Stuck[]> => {
    const of = (status: 'pending' | 'running') =>
      store.deliveries({ handler, error, status }, { order: 'oldest', limit: MAX_READ });
    const lanes = [...(await of('running')), ...(await of('pending'))].filter(
      ({ attempts }) => attempts >= STUCK_AFTER,
    );
    const [first] = lanes;
    if (first === undefined) return [];
    const subjects = [...new Set(lanes.map(({ subject }) => subjectName(subject)))];
    const sentence = words.problems.retrying(subjects[0] ?? '', subjects.length, {
      handler,
      failures: Math.max(...lanes.map(({ attempts }) => attempts)),
      last: format.relative(instantText(lastAt), now),
      isPaused: paused.ofHandler(handler) !== undefined,
      error: cut(shortError(first.lastError ?? '')),
    });
    const href = subjects.length === 1 ? subjectAddress(subjects[0] ?? '') : handlerAddress(handler);
    return [{ problem: problem('bad', sentence, href), handler, subjects }];
  });
  return (await Promise.all(found)).flat();
}

/** Lanes that keep failing, and what is said of them. */
interface Stuck {
  readonly problem: Problem;
  readonly handler: string;
  readonly subjects: readonly string[];
}

/** The lane of each handler that has waited longest for anything but a pause, an open breaker, or a failure named above. */
async function waiting(
  { page, store, statistics, dispatch, paused }: Looked,
  stuck: readonly Stuck[],
): Promise<readonly Problem[]> {
  const { words, format, now } = page;
  const isNamed = ({ handler, subject }: DeliveryRecord): boolean =>
    stuck.some((each) => each.handler === handler && each.subjects.includes(subjectName(subject)));
  const waitsByWish = ({ pausedBy, rateUntil, attempts, dueAt }: DeliveryRecord): boolean =>
    // Of one that has not run, a later time is that of a quiet time or of a replay's pace.
    pausedBy !== null || ((attempts === 0 || rateUntil !== null) && dueAt !== null && dueAt > now);
  const handlers = statistics.by_handler
    .filter(({ handler, pending }) => pending > 0 && paused.ofHandler(handler) === undefined)
    .filter(({ handler }) => !hasOpenBreaker(dispatch, handler))
    .slice(0, MAX_GROUPS);
  const found = handlers.map(async ({ handler }): Promise<readonly Problem[]> => {
    const oldest = await store.deliveries(
      { handler, status: 'pending' },
      { order: 'oldest', limit: MAX_READ },
    );
    const first = oldest.find((delivery) => !waitsByWish(delivery) && !isNamed(delivery));
    const [event] =
      first === undefined ? [] : await store.events({ ids: [first.eventId] }, { order: 'oldest', limit: 1 });
    if (first === undefined || event === undefined || now - event.receivedAt < SLOW_MS) return [];
    const subject = subjectName(first.subject);
    const error = first.lastError === null ? '' : ` ${cut(shortError(first.lastError))}`;
    const age = format.relative(instantText(event.receivedAt), now);
    const sentence = words.problems.stuck(subject, handler, age, first.attempts) + error;
    return [problem('warn', sentence, subjectAddress(subject))];
  });
  return (await Promise.all(found)).flat();
}

/** While a handler goes on failing, a pause comes before a retry. */
function deadLetters(
  { page, statistics, dispatch, paused }: Looked,
  groups: readonly FailureGroup[],
): readonly Problem[] {
  const { words, format, now } = page;
  return statistics.by_handler
    .filter(({ dead }) => dead > 0)
    .map(({ handler, dead }) => {
      const own = groups.filter((group) => group.handler === handler && group.dead > 0);
      const [most] = own.toSorted((one, other) => other.dead - one.dead);
      const sentence = words.overview.dead(dead, handler);
      const href = failuresAddress(handler);
      if (most === undefined) return problem('bad', sentence, href);
      const whole = shortError(most.sample.lastError ?? '');
      const [error, isSame] = [cut(whole), most.dead === 1 || errorKind(whole) === whole];
      const { eachTime, mostOften, seen } = words.problems;
      const at = (instant: number): string => format.relative(instantText(instant), now);
      const when = seen(
        at(Math.min(...own.map(({ firstAt }) => firstAt))),
        at(Math.max(...own.map(({ lastAt }) => lastAt))),
      );
      const why = own.length === 1 ? eachTime(error, isSame) : mostOften(error, most.dead, dead);
      const failsOn =
        paused.ofHandler(handler) === undefined &&
        !hasOpenBreaker(dispatch, handler) &&
        own.some((group) => goesOn({ ...group, times: group.dead + group.failing }, now));
      return {
        ...problem('bad', `${sentence} ${when}${why}`, href),
        ...(failsOn && {
          before: { href: openAddress(handlerAddress(handler), 'pause'), action: words.pauses.pause },
        }),
      };
    });
}

/** Jobs that ended before all their items had begun, for as long as a shift lasts: a colleague may not know of them. */
function halfDone({ page: { words, format, now }, jobs }: Findings): readonly Problem[] {
  return jobs.flatMap((job) => {
    const left = job.planned - job.acted - job.leftAlone;
    const { ending, endedAt } = job;
    if (left <= 0 || ending === null || endedAt === null || now - endedAt > SHIFT_MS) return [];
    const when = format.relative(instantText(endedAt), now);
    const sentence = words.jobs.halfDone(job.id, words.jobs.deed(job.action, job.planned, job.planned), {
      ...{ left, when, why: say(words.jobs.endings, ending) },
    });
    return [problem('warn', sentence, `/jobs/${job.id}`)];
  });
}

/** Paths that do not exist and got the most webhooks in this hour and the one before. */
function mistyped({ page: { words, now }, rejections }: Findings): readonly Problem[] {
  const recent = rejections.filter(
    (each) => isNoAddress(each.lastReason) && each.hour >= Math.floor(now / HOUR_MS) - 1,
  );
  return [...Map.groupBy(recent, ({ source }) => source)]
    .map(([path, counts]) => ({ path, count: counts.reduce((sum, each) => sum + each.rejections, 0) }))
    .filter(({ count }) => count >= MIN_MISTYPED)
    .toSorted((one, other) => other.count - one.count)
    .slice(0, MAX_PATHS)
    .map(({ path, count }) => problem('warn', words.problems.mistyped(path, count), '/senders#rejections'));
}

/** A sentence for each problem of the quarantine, those that came last first; none where all came later in a valid form. */
async function heldProblems({ page, store }: Looked): Promise<readonly Problem[]> {
  const { words, format, now, contract } = page;
  const groups = await store.problemGroups();
  const named = groups.toSorted((one, other) => other.lastAt - one.lastAt).slice(0, MAX_HELD);
  const sentences = named.map(async (group): Promise<readonly Problem[]> => {
    const { reason, kind, path, message, problem: of } = problemGroupView(group);
    const held = await heldOfProblem({ store, contract }, of);
    const later = held.filter(({ isAcceptedLater }) => isAcceptedLater).length;
    if (later === group.entries) return [];
    const href = isUnreadable(message) ? openAddress(problemAddress(of), 'report') : problemAddress(of);
    const sentence = words.problems.held({
      ...{ reason, kind, count: group.entries, subjects: group.subjects },
      first: format.relative(instantText(group.firstAt), now),
      last: format.relative(instantText(group.lastAt), now),
      arriving: goesOn({ ...group, times: group.entries + group.repeats }, now),
    });
    const since = later === 0 ? '' : ` ${words.quarantine.acceptedLater(later, held.length)}`;
    return [
      {
        ...problem('warn', sentence + since, href),
        quoted: cut(path === '' ? message : `${path}: ${message}`),
        ...(isUnreadable(message) && { remedy: words.problems.askSender, action: words.quarantine.report }),
      },
    ];
  });
  const all = (await Promise.all(sentences)).flat();
  const more = problem('warn', words.problems.heldMore, '/quarantine');
  return groups.length === named.length ? all : [...all, more];
}

/** A sentence for each pause and each lane behind a failed delivery, but one for many lanes of a handler. */
async function pausedProblems({ page, store, pauses, paused }: Looked): Promise<readonly Problem[]> {
  const { words } = page;
  // A handler that is paused as a whole says it for its lanes.
  const shown = pauses.filter(
    ({ subject, handler }) => subject === null || paused.ofHandler(handler ?? '') === undefined,
  );
  const lanes = Map.groupBy(shown, ({ subject, handler, deadLetter }) =>
    subject === null ? '' : `${handler ?? ''} ${deadLetter === null ? '' : 'behind'}`,
  );
  const many = [...lanes].filter(([of, { length }]) => of !== '' && length > MAX_LANES).map(([, all]) => all);
  const named = shown.filter((pause) => !many.some((all) => all.includes(pause)));
  return [
    ...(await Promise.all(
      named.map(async (pause) => {
        const view = pauseView(pause);
        const isBlocked = view.dead_letter !== null;
        const waiting = isBlocked ? (await store.pausedDeliveries(pause, MAX_COUNTED)).deliveries : undefined;
        const sentence = pauseSentence(page, { ...view, reason: cut(view.reason) }, waiting);
        return { ...problem('warn', sentence, pauseAddress(view)), ...retryFirst(page, [pause]) };
      }),
    )),
    ...many.map((all) => {
      const say = words.pauses[all[0]?.deadLetter == null ? 'lanes' : 'behindMany'];
      const sentence = say(all.length, all[0]?.handler ?? '');
      return { ...problem('warn', sentence, '/handlers#pauses'), ...retryFirst(page, all) };
    }),
  ];
}

/** Lanes behind failed deliveries lose nothing by a retry; whoever goes on without it skips a step. */
function retryFirst({ words }: Page, lanes: readonly Pause[]): Partial<Problem> {
  const ids = lanes.flatMap(({ deadLetter }) => deadLetter ?? []).slice(0, MAX_NAMED);
  if (ids.length === 0) return {};
  const before = { href: planAddress('retry', { ids }), action: words.groups.retry };
  return { before, action: words.pauses.passPlan };
}

/** Says it in the words of the command line where the language of the page is English, or has none for it. */
function observedProblem({ words, format, now, language }: Page, found: OperatorProblem): Problem {
  const { facts, summary, remedy } = found;
  const href = facts === undefined ? '/system' : causeAddress(facts);
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
