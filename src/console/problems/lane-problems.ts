/** Lanes that keep failing, and those that wait. */
import { subjectName } from '../../event/subject.ts';
import type { FailureGroup } from '../../store/plans.ts';
import type { DeliveryRecord } from '../../store/queries.ts';
import { instantText } from '../../view/instant-text.ts';
import { shortError } from '../../view/payload/unmasking.ts';
import { handlerAddress, subjectAddress } from '../components/event-cells.tsx';
import { pauseFormAddress } from '../components/pauses.tsx';
import { problem, cut, hasOpenBreaker, type Problem, type Looked } from './problem.ts';

/** Milliseconds that an event may wait for anything but a pause before the overview says so. */
const SLOW_MS = 60_000;
/** Failures of a delivery after which its subject is stuck. */
const STUCK_AFTER = 3;
/** Unfinished deliveries of a handler that are looked at. */
const MAX_READ = 50;
/** The share of the places that one handler must have taken for it to be why the others wait. */
const CROWD = 0.75;
/** Handlers, and kinds of errors, whose unfinished deliveries are looked at. */
const MAX_GROUPS = 10;

/** Subjects whose deliveries keep failing: one sentence for each kind of error. A pause hides none of them. */
export async function retrying(
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
    const [only = ''] = subjects;
    const href = subjects.length === 1 ? subjectAddress(only) : handlerAddress(handler);
    const failures = Math.max(...lanes.map(({ attempts }) => attempts));
    const last = format.relative(instantText(lastAt), now);
    const retrying: Problem = {
      ...problem('bad', words.problems.waits(only, subjects.length, handler), href),
      error: cut(shortError(first.lastError ?? '')),
      note: words.problems.retrying(failures, last, {
        isMany: subjects.length > 1,
        isPaused: paused.ofHandler(handler) !== undefined,
      }),
    };
    return [{ problem: retrying, handler, subjects }];
  });
  return (await Promise.all(found)).flat();
}

/** Lanes that keep failing, and what is said of them. */
interface Stuck {
  readonly problem: Problem;
  readonly handler: string;
  readonly subjects: readonly string[];
}

/**
 * The lane of each handler that has waited longest for anything but a pause, an open breaker, or a failure named above.
 * Of what waits because one handler has taken the places of all, only this is said.
 */
export async function waiting(found: Looked, stuck: readonly Stuck[]): Promise<readonly Problem[]> {
  const { page, store, statistics, dispatch, paused, places } = found;
  const { words, format, now } = page;
  const since = statistics.oldest_pending_at;
  if (since === null || now - Date.parse(since) <= SLOW_MS) return [];
  const isNamed = ({ handler, subject }: DeliveryRecord): boolean =>
    stuck.some((each) => each.handler === handler && each.subjects.includes(subjectName(subject)));
  const waitsByWish = ({ pausedBy, rateUntil, attempts, dueAt }: DeliveryRecord): boolean =>
    // Of one that has not run, a later time is that of a quiet time or of a replay's pace.
    pausedBy !== null || ((attempts === 0 || rateUntil !== null) && dueAt !== null && dueAt > now);
  const handlers = statistics.by_handler
    .filter(({ handler, pending }) => pending > 0 && paused.ofHandler(handler) === undefined)
    .filter(({ handler }) => !hasOpenBreaker(dispatch, handler))
    .slice(0, MAX_GROUPS);
  const crowd = statistics.by_handler.find(({ running }) => running >= CROWD * places);
  const isCrowded = crowd !== undefined && dispatch.running >= places;
  const behind: number[] = [];
  const lanes = handlers.map(async ({ handler }): Promise<readonly Problem[]> => {
    const oldest = await store.deliveries(
      { handler, status: 'pending' },
      { order: 'oldest', limit: MAX_READ },
    );
    const first = oldest.find((delivery) => !waitsByWish(delivery) && !isNamed(delivery));
    const [event] =
      first === undefined ? [] : await store.events({ ids: [first.eventId] }, { order: 'oldest', limit: 1 });
    if (first === undefined || event === undefined || now - event.receivedAt < SLOW_MS) return [];
    if (isCrowded && handler !== crowd.handler && first.attempts === 0) {
      behind.push(event.receivedAt);
      return [];
    }
    const subject = subjectName(first.subject);
    const age = format.relative(instantText(event.receivedAt), now);
    return [
      {
        ...problem('warn', words.problems.waits(subject, 1, handler), subjectAddress(subject)),
        ...(first.lastError !== null && { error: cut(shortError(first.lastError)) }),
        note: words.problems.came(age, first.attempts),
      },
    ];
  });
  const problems = (await Promise.all(lanes)).flat();
  if (!isCrowded || behind.length === 0) return problems;
  const { handler, running } = crowd;
  const crowded = {
    // Others run in other processes, or are claimed and have no place yet.
    ...problem(
      'bad',
      words.problems.crowded(handler, Math.min(running, places), places),
      handlerAddress(handler),
    ),
    note: words.problems.behind(behind.length, format.relative(instantText(Math.min(...behind)), now)),
    before: { href: pauseFormAddress(handler), action: words.pauses.pause },
  };
  return [crowded, ...problems];
}
