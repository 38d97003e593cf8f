import { Buffer } from 'node:buffer';
import type { ArrivedEvent } from '../../rows/arrival.ts';
import { conflict, type RepeatableEvent } from '../../rows/verdict.ts';
import type { Acceptance, AcceptOptions } from '../../inbox.ts';
import type { Route } from '../../route.ts';
import type { Outcome } from '../commit/group-commit.ts';
import type { Transaction } from '../commit/write.ts';
import { enqueue } from '../deliveries/enqueue.ts';
import { lockLanes } from '../deliveries/lane-locks.ts';
import type { Keyed } from '../privacy/keyed-digest.ts';
import { holdDeliveries } from '../quarantine/hold.ts';
import { findEntries, noSuchEntry, releaseEntries } from '../quarantine/release.ts';
import type { Connection } from '../sql/connection.ts';
import { decideBatch, type Decided, type KnownArrival } from './decide-batch.ts';
import { drawEventNumbers } from './event-numbers.ts';
import { countRepeats, insertEvents, type Repeats } from './insert-events.ts';
import { eventsOfMessages, newestOfContents, originalsOf } from './known-events.ts';
import { lockSubjects, setLatest, settleNewSubjects, subjectKey, type NamedSubject } from './subjects.ts';

/** An event to accept. */
export interface Arrival extends AcceptOptions {
  readonly event: ArrivedEvent;
  readonly routes: readonly Route[];
}

export interface AcceptDeps {
  readonly keyed: Keyed;
  /** Returns the kind to count events of an unknown kind under. */
  readonly countedAs: (kind: string) => string;
}

/** Stores events, or counts them as repeats, one after the other, in a few statements for all. */
export async function acceptBatch(
  connection: Connection,
  deps: AcceptDeps,
  transaction: Transaction,
  arrivals: readonly Arrival[],
): Promise<readonly Outcome<Acceptance>[]> {
  const { session } = transaction;
  const { keyed } = deps;
  const known = await findKnown(transaction, arrivals, keyed);
  const hasContent = ({ digest: stored }: RepeatableEvent, digest: Uint8Array) =>
    Buffer.compare(digest, stored) === 0 || Buffer.compare(keyed.digest(digest), stored) === 0;
  const { decided, events, latest } = decideBatch(
    known.filter((one) => one !== null),
    hasContent,
  );
  const numbers = await drawEventNumbers(session, events);
  const numberOf = (id: number): number => (id < 0 ? (numbers[-1 - id] ?? 0) : id);
  const settled: Settled[] = [];
  const ofArrival = known.map((arrival) => {
    if (arrival === null) return null;
    const decision = decided[settled.length];
    if (decision === undefined) return null;
    const one = { arrival, decision: { ...decision, id: numberOf(decision.id) } };
    settled.push(one);
    return one;
  });

  await insertEvents(
    session,
    settled.flatMap(({ arrival: { event, subject }, decision }) =>
      decision.is === 'event' ? [{ ...decision, event, subjectId: subject.id }] : [],
    ),
  );
  await setLatest(
    session,
    latest.map((one) => ({ ...one, event: numberOf(one.event) })),
  );
  await settleNewSubjects(session, newSubjects(settled));
  await countRepeats(session, repeatsOf(settled));
  countEvents(transaction, settled, deps);
  await releaseEntries(session, releasesOf(settled));
  const pending = await enqueueRoutes(transaction, settled, connection.clock.now());
  const conflicts = settled.filter(isNewConflict);
  const holds = await holdDeliveries(
    session,
    conflicts.map(({ arrival, decision }) => conflict(arrival.event, connection.ids.event(decision.id))),
    { keyed, maxBytes: connection.limits.maxQuarantineBytes },
  );

  return ofArrival.map((one, at): Outcome<Acceptance> => {
    if (one === null) return { error: noSuchEntry(arrivals[at]?.releases ?? '') };
    const { arrival, decision } = one;
    const id = connection.ids.event(decision.id);
    if (decision.is === 'event') {
      const { verdict, flags } = decision;
      return { value: { status: 'stored', id, verdict, flags, pending: pending.get(decision.id) ?? 0 } };
    }
    if (decision.is !== 'conflict') return { value: { status: 'duplicate', id } };
    const hold = holds[conflicts.indexOf(one)];
    // A released entry that conflicts again stays held.
    const quarantineId = hold?.id ?? arrival.releases ?? '';
    return { value: { status: 'conflict', id, quarantineId, dropped: hold?.dropped ?? 0 } };
  });
}

/** An arrival, and what has become of it. */
interface Settled {
  readonly arrival: KnownArrival & Arrival;
  readonly decision: Decided;
}

/** Locks what the arrivals change, and reads what they may repeat. Null for the release of an entry that is not there. */
async function findKnown(
  { session }: Transaction,
  arrivals: readonly Arrival[],
  keyed: Keyed,
): Promise<readonly ((KnownArrival & Arrival) | null)[]> {
  const named = new Map<string, NamedSubject>();
  const keys = arrivals.map(({ event: { delivery, subject } }) => {
    const one = { source: delivery.source, subject };
    const key = subjectKey(one);
    named.set(key, one);
    return key;
  });
  const subjects = await lockSubjects(session, named, keyed);
  await lockLanes(session, { subjects: [], handlers: handlersInOrder(arrivals) });
  const entries = await findEntries(
    session,
    arrivals.flatMap(({ releases }) => releases ?? []),
  );
  const located = arrivals.flatMap((arrival, at) => {
    const subject = subjects.get(keys[at] ?? '');
    return subject === undefined ? [] : [{ ...arrival, subject, copied: arrival.copied === true }];
  });
  const ofContent = await newestOfContents(session, located, keyed);
  const ofMessage = await eventsOfMessages(session, located);
  const originals = await originalsOf(session, located, keyed);
  return located.map((arrival, at) => {
    const held = arrival.releases === undefined ? undefined : entries.get(arrival.releases);
    if (arrival.releases !== undefined && held === undefined) return null;
    return {
      ...arrival,
      held,
      ofMessage: ofMessage[at],
      ofContent: ofContent[at],
      original: originals[at],
    };
  });
}

function handlersInOrder(arrivals: readonly Arrival[]): readonly string[] {
  return arrivals.flatMap(({ routes }) =>
    routes.filter(({ order }) => order === 'handler').map(({ handler }) => handler),
  );
}

function newSubjects(settled: readonly Settled[]) {
  const inserted = new Set(
    settled.flatMap(({ arrival: { subject } }) => (subject.isNew ? [subject.id] : [])),
  );
  const used = new Set(
    settled.flatMap(({ arrival, decision }) => (decision.is === 'event' ? [arrival.subject.id] : [])),
  );
  const unused = [...inserted].filter((id) => !used.has(id));
  return { used: inserted.size - unused.length, unused };
}

/** A release is no repeat. */
function isRepeat({ arrival, decision }: Settled): boolean {
  return (decision.is === 'repeat' || decision.is === 'conflict') && arrival.held === undefined;
}

function isNewConflict(one: Settled): boolean {
  return one.decision.is === 'conflict' && isRepeat(one);
}

function repeatsOf(settled: readonly Settled[]): ReadonlyMap<number, Repeats> {
  const byEvent = new Map<number, Repeats>();
  for (const one of settled) {
    if (!isRepeat(one)) continue;
    const { repeats } = byEvent.get(one.decision.id) ?? { repeats: 0 };
    byEvent.set(one.decision.id, {
      repeats: repeats + 1,
      lastAt: one.arrival.event.delivery.receivedAt,
    });
  }
  return byEvent;
}

function countEvents({ counts }: Transaction, settled: readonly Settled[], { countedAs }: AcceptDeps): void {
  const kindOf = (kind: string, recognized: number) => (recognized === 1 ? kind : countedAs(kind));
  for (const one of settled) {
    const { arrival, decision } = one;
    if (decision.is === 'event') {
      const recognized = arrival.event.recognized ? 1 : 0;
      const kind = kindOf(arrival.event.kind, recognized);
      counts.eventStored({ kind, recognized, verdict: decision.verdict }, arrival.event.delivery.receivedAt);
    } else if (decision.is !== 'known' && isRepeat(one)) {
      const { kind, recognized, verdict } = decision.of;
      counts.eventRepeated({ kind: kindOf(kind, recognized), recognized, verdict });
    }
  }
}

function releasesOf(settled: readonly Settled[]) {
  return settled.flatMap(({ arrival: { held }, decision: { is, id } }) =>
    held !== undefined && (is === 'event' || is === 'repeat') ? [{ row: held.row, eventId: id }] : [],
  );
}

/** Returns the number of deliveries of each event that wait to run. */
async function enqueueRoutes(
  transaction: Transaction,
  settled: readonly Settled[],
  now: number,
): Promise<ReadonlyMap<number, number>> {
  const deliveries = settled.flatMap(({ arrival, decision }) =>
    decision.is === 'event'
      ? arrival.routes.map(({ handler, order, stale }) => ({
          eventId: decision.id,
          subjectId: arrival.subject.id,
          handler,
          order,
          replayId: 0,
          ...(decision.verdict === 'stale' && !stale ? { skip: 'stale' } : {}),
        }))
      : [],
  );
  const waits = await enqueue(transaction, deliveries, now, { first: true });
  const pending = new Map<number, number>();
  for (const [at, { eventId }] of deliveries.entries())
    if (waits[at] === true) pending.set(eventId, (pending.get(eventId) ?? 0) + 1);
  return pending;
}
