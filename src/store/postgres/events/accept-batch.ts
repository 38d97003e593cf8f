/**
 * Accepts a batch of webhooks in one transaction: verdicts, events, bodies and deliveries.
 *
 * Every webhook passes here. The order of locks is fixed: subjects, handlers' lanes (lock-arrivals.ts), entries of the
 * quarantine, then what the inserts lock. What a verdict depends on is read after them. The statements of a
 * `Promise.all` are pipelined and run in the order in which they are listed. The rest is plain data: change it freely.
 */
import type { ArrivedEvent } from '../../shared/events/arrival.ts';
import { conflict, skipReason } from '../../shared/events/verdict.ts';
import type { Acceptance, AcceptOptions, Moved, SeenSubject } from '../../inbox.ts';
import type { Route } from '../../route.ts';
import { laneKey, laneOf } from '../../shared/deliveries/lane-key.ts';
import type { Outcome } from '../commit/group-commit.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import {
  enqueueFirst,
  occupiedLanes,
  type NewEventDelivery,
  type OrderedLane,
} from '../deliveries/enqueue.ts';
import type { Keyed } from '../../shared/privacy/erased-marks.ts';
import { quarantineDeliveries } from '../quarantine/quarantine.ts';
import { lockEntries, noSuchEntry, releaseEntries } from '../quarantine/release.ts';
import type { Connection } from '../sql/connection.ts';
import { decideBatch, type Decided, type KnownArrival } from './decide-batch.ts';
import { drawEventNumbers, countRepeats, insertEvents, type Repeats } from './insert-events.ts';
import { eventsOfMessages, hasContentOf, newestOfContents, originalsOf } from './known-events.ts';
import { lockArrivals } from './lock-arrivals.ts';
import { removeSubjects, setLatest, setReconciled, type LockedSubject } from './subjects.ts';

/** An event to accept. */
export interface Arrival extends AcceptOptions, SeenSubject {
  readonly event: ArrivedEvent;
  readonly routes: readonly Route[];
}

export interface AcceptDeps {
  readonly keyed: Keyed;
  /** Returns the kind to count events of an unknown kind under. */
  readonly countedAs: (kind: string) => string;
  /** Whether to wait for a lock when each arrival needs one that another transaction holds. */
  readonly waits: boolean;
  /** Throws when an arrival was rejected meanwhile. */
  readonly requireTimely: () => void;
}

/** Stores events, or counts them as repeats, one after the other, in a few statements for all. */
export async function acceptBatch(
  connection: Connection,
  deps: AcceptDeps,
  transaction: Transaction,
  arrivals: readonly Arrival[],
): Promise<readonly Outcome<Acceptance | Moved>[]> {
  const { session } = transaction;
  const { keyed } = deps;
  const { known, occupied } = await findKnown(transaction, arrivals, deps);
  const { decided, unnumbered, latest } = decideBatch(
    known.filter((one) => typeof one !== 'string'),
    hasContentOf(keyed),
    connection.ids.eventRow,
  );
  const numbers = await drawEventNumbers(session, unnumbered);
  const numberOf = (id: number): number => (id < 0 ? (numbers[-1 - id] ?? 0) : id);
  const results: DecidedArrival[] = [];
  const ofArrival = known.map((arrival) => {
    if (typeof arrival === 'string') return arrival;
    const decision = decided[results.length];
    if (decision === undefined) throw new Error('an event was not decided');
    const one = { arrival, decision: { ...decision, id: numberOf(decision.id) } };
    results.push(one);
    return one;
  });

  const deliveries = newDeliveries(results);
  const created = newSubjects(results);
  // Pipelined, and the commit after them: none needs another's result.
  const stored = Promise.all([
    insertEvents(session, newEvents(results)),
    setLatest(
      session,
      latest.map((one) => ({ ...one, event: numberOf(one.event) })),
    ),
    removeSubjects(session, created.unused),
    countRepeats(session, repeatsOf(results)),
    setReconciled(session, reconciledOf(results)),
    releaseEntries(session, releasesOf(results)),
    enqueueFirst(transaction, deliveries, { now: connection.clock.now(), occupied }),
  ]);
  countEvents(transaction, results, deps);
  transaction.counts.rowsStored('subjects', created.used);
  transaction.unawaited(stored);
  const conflicts = results.filter(isNewConflict);
  const quarantined = await quarantineDeliveries(
    session,
    conflicts.map(({ arrival, decision }) => conflict(arrival.event, connection.ids.event(decision.id))),
    { keyed, maxBytes: connection.limits.maxQuarantineBytes },
  );

  return ofArrival.map((one, at): Outcome<Acceptance | Moved> => {
    if (one === 'locked') return { isLocked: true };
    if (one === 'no entry') return { error: noSuchEntry(arrivals[at]?.releases ?? '') };
    const { arrival, decision } = one;
    if (decision.is === 'moved')
      return {
        value: { status: 'moved', reconciled: decision.id === 0 ? null : connection.ids.event(decision.id) },
      };
    const id = connection.ids.event(decision.id);
    if (decision.is === 'event') {
      const { verdict, flags } = decision;
      return {
        value: {
          status: 'stored',
          id,
          verdict,
          flags,
          pending: arrival.routes.filter((route) => skipReason(route, verdict, arrival.overtaken) === null)
            .length,
        },
      };
    }
    if (decision.is !== 'conflict') return { value: { status: 'duplicate', id } };
    const conflicting = quarantined[conflicts.indexOf(one)];
    // A released entry that conflicts again stays in quarantine.
    const quarantineId = conflicting?.id ?? arrival.releases ?? '';
    return { value: { status: 'conflict', id, quarantineId, dropped: conflicting?.dropped ?? 0 } };
  });
}

type Known = KnownArrival & Arrival;

/** An arrival, and what was decided about it. */
interface DecidedArrival {
  readonly arrival: Known;
  readonly decision: Decided;
}

/** An arrival that is not decided: its subject is locked, or the entry that it releases is not there. */
type LeftOut = 'locked' | 'no entry';

/** Locks what the arrivals change, and reads what they may repeat. */
async function findKnown(
  { session }: Transaction,
  arrivals: readonly Arrival[],
  { keyed, waits, requireTimely }: AcceptDeps,
): Promise<{
  readonly known: readonly (Known | LeftOut)[];
  /** The keys of the lanes in which a delivery waits or runs. */
  readonly occupied: ReadonlySet<string>;
}> {
  const subjects = await lockArrivals(session, arrivals, { keyed, waits });
  requireTimely();
  const located = arrivals.flatMap((arrival, at) => {
    const subject = subjects[at];
    return subject === undefined ? [] : [{ ...arrival, at, subject, copied: arrival.copied === true }];
  });
  // Pipelined: they run one after the other, so what is read is read under the locks.
  const [entries, ofContent, ofMessage, originals, occupied] = await Promise.all([
    lockEntries(
      session,
      arrivals.flatMap(({ releases }) => releases ?? []),
    ),
    newestOfContents(session, located, keyed),
    eventsOfMessages(session, located),
    originalsOf(session, located, keyed),
    occupiedLanes(session, lanesOf(located)),
  ]);
  const known: (Known | LeftOut)[] = arrivals.map(() => 'locked');
  for (const [index, arrival] of located.entries()) {
    const entry = arrival.releases === undefined ? undefined : entries.get(arrival.releases);
    const repeatable = {
      ofMessage: ofMessage[index],
      ofContent: ofContent[index],
      original: originals[index],
    };
    known[arrival.at] =
      arrival.releases !== undefined && entry === undefined
        ? 'no entry'
        : { ...arrival, entry, ...repeatable };
  }
  return { known, occupied };
}

/** The lanes of the arrivals. Those of new subjects are empty. */
function lanesOf(
  arrivals: readonly (Arrival & { readonly subject: LockedSubject })[],
): readonly OrderedLane[] {
  const lanes = new Map<string, OrderedLane>();
  for (const { routes, subject } of arrivals) {
    for (const { handler, order } of routes) {
      if (order === 'subject' && subject.isNew) continue;
      const lane = laneOf(order, subject.id, 0);
      lanes.set(laneKey(handler, lane), { handler, order, lane });
    }
  }
  return [...lanes.values()];
}

function newEvents(results: readonly DecidedArrival[]) {
  return results.flatMap(({ arrival: { event, subject }, decision }) =>
    decision.is === 'event' ? [{ ...decision, event, subjectId: subject.id }] : [],
  );
}

/** The subjects with a new reconciled event, and those whose reconciled event a webhook has repeated: that one, or 0. */
function reconciledOf(results: readonly DecidedArrival[]) {
  const changed = new Map<number, number>();
  for (const { arrival, decision } of results) {
    const { id, reconciled } = arrival.subject;
    if (decision.is === 'event' && decision.flags.includes('reconciled')) changed.set(id, 0);
    else if (decision.is === 'repeat' && decision.id === reconciled) changed.set(id, decision.id);
  }
  return [...changed].map(([subjectId, repeated]) => ({ subjectId, repeated }));
}

/** The subjects that the transaction has inserted: how many got an event, and which ones did not. */
function newSubjects(results: readonly DecidedArrival[]) {
  const inserted = new Set(
    results.flatMap(({ arrival: { subject } }) => (subject.isNew ? [subject.id] : [])),
  );
  const used = new Set(
    results.flatMap(({ arrival, decision }) => (decision.is === 'event' ? [arrival.subject.id] : [])),
  );
  const unused = [...inserted].filter((id) => !used.has(id));
  return { used: inserted.size - unused.length, unused };
}

/** A release is no repeat. */
function isRepeat({ arrival, decision }: DecidedArrival): boolean {
  return (decision.is === 'repeat' || decision.is === 'conflict') && arrival.entry === undefined;
}

function isNewConflict(one: DecidedArrival): boolean {
  return one.decision.is === 'conflict' && isRepeat(one);
}

function repeatsOf(results: readonly DecidedArrival[]): ReadonlyMap<number, Repeats> {
  const byEvent = new Map<number, Repeats>();
  for (const one of results) {
    if (!isRepeat(one)) continue;
    const { repeats } = byEvent.get(one.decision.id) ?? { repeats: 0 };
    byEvent.set(one.decision.id, {
      repeats: repeats + 1,
      lastAt: one.arrival.event.delivery.receivedAt,
    });
  }
  return byEvent;
}

function countEvents(
  { counts }: Transaction,
  results: readonly DecidedArrival[],
  { countedAs }: AcceptDeps,
): void {
  const kindOf = (kind: string, recognized: number) => (recognized === 1 ? kind : countedAs(kind));
  for (const one of results) {
    const { arrival, decision } = one;
    if (decision.is === 'event') {
      const recognized = arrival.event.recognized ? 1 : 0;
      const kind = kindOf(arrival.event.kind, recognized);
      counts.eventStored({ kind, recognized, verdict: decision.verdict }, arrival.event.delivery.receivedAt);
    } else if ((decision.is === 'repeat' || decision.is === 'conflict') && isRepeat(one)) {
      const { kind, recognized, verdict } = decision.of;
      counts.eventRepeated({ kind: kindOf(kind, recognized), recognized, verdict });
    }
  }
}

function releasesOf(results: readonly DecidedArrival[]) {
  return results.flatMap(({ arrival: { entry }, decision: { is, id } }) =>
    entry !== undefined && (is === 'event' || is === 'repeat') ? [{ row: entry.row, eventId: id }] : [],
  );
}

function newDeliveries(results: readonly DecidedArrival[]): readonly NewEventDelivery[] {
  return results.flatMap(({ arrival, decision }) => {
    if (decision.is !== 'event') return [];
    return arrival.routes.map((route) => ({
      eventId: decision.id,
      subjectId: arrival.subject.id,
      handler: route.handler,
      order: route.order,
      skip: skipReason(route, decision.verdict, arrival.overtaken),
    }));
  });
}
