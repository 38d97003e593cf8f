/**
 * Locks what a batch of webhooks changes: subjects, then the lanes of handlers that run one event at a time. It is the
 * order of `lockLanes` (deliveries/lanes.ts): keep both alike.
 */
import type { ArrivedEvent } from '../../shared/events/arrival.ts';
import type { Route } from '../../route.ts';
import { lockLanes } from '../deliveries/lanes.ts';
import type { Keyed } from '../../shared/privacy/erased-marks.ts';
import { HANDLER_LANE_LOCK, tryLockNames } from '../sql/advisory-locks.ts';
import type { Session } from '../sql/session.ts';
import {
  lockSubjects,
  removeSubjects,
  subjectKey,
  type ArrivingSubject,
  type LockedSubject,
} from './subjects.ts';

interface LockableArrival {
  readonly event: Pick<ArrivedEvent, 'delivery' | 'subject' | 'formerId' | 'version'>;
  readonly routes: readonly Route[];
}

/**
 * Locks what arrivals change until the end of the transaction. All arrivals of a subject are locked together or not at
 * all, so that they are stored in order.
 *
 * @param options.waits whether to wait for a lock when each arrival needs one that another transaction holds
 * @returns the subject of each arrival; undefined where another transaction holds a lock that it needs
 */
export async function lockArrivals(
  session: Session,
  arrivals: readonly LockableArrival[],
  { keyed, waits }: { readonly keyed: Keyed; readonly waits: boolean },
): Promise<readonly (LockedSubject | undefined)[]> {
  const named = new Map<string, ArrivingSubject>();
  const keys = arrivals.map(({ event: { delivery, ...event } }) => {
    const one = { source: delivery.source, ...event };
    const key = subjectKey(one);
    if (!named.has(key)) named.set(key, one);
    return key;
  });
  const subjects = await lockSome(session, named, keyed, waits);
  const handlersOf = new Map([...subjects.keys()].map((key) => [key, new Set<string>()]));
  for (const [at, { routes }] of arrivals.entries())
    for (const { handler, order } of routes)
      if (order === 'handler') handlersOf.get(keys[at] ?? '')?.add(handler);
  const isFree = await lockHandlers(session, handlersOf, waits);
  // Their events are not stored now.
  const unused = [...subjects].flatMap(([key, { id, isNew }]) => (isNew && !isFree(key) ? [id] : []));
  await removeSubjects(session, unused);
  return keys.map((key) => (isFree(key) ? subjects.get(key) : undefined));
}

/**
 * Locks the subjects that no other transaction has locked. If all are, and it waits, it waits for the first one alone:
 * those that it would hold meanwhile, others need.
 */
async function lockSome(
  session: Session,
  named: ReadonlyMap<string, ArrivingSubject>,
  keyed: Keyed,
  waits: boolean,
): Promise<ReadonlyMap<string, LockedSubject>> {
  const free = await lockSubjects(session, named, keyed, false);
  if (!waits || free.size > 0) return free;
  return lockSubjects(session, new Map([...named].slice(0, 1)), keyed, true);
}

/**
 * Locks the lanes of handlers that run one event at a time and that no other transaction has locked, and returns whether
 * all of a subject's are. If no subject has all of its lanes, and `waits` is set, it waits for those of the first one.
 *
 * @param wanted the handlers of each locked subject
 */
async function lockHandlers(
  session: Session,
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
  waits: boolean,
): Promise<(subject: string) => boolean> {
  const names = [...wanted.values()].flatMap((handlers) => [...handlers]);
  if (names.length === 0) return () => true;
  let locked = await tryLockNames(session, HANDLER_LANE_LOCK, names);
  const isFree = (subject: string): boolean => locked.isSupersetOf(wanted.get(subject) ?? new Set());
  if (!waits || wanted.keys().some(isFree)) return isFree;
  const [first = new Set<string>()] = wanted.values();
  await lockLanes(session, { subjects: [], handlers: [...first] });
  locked = first;
  return isFree;
}
