/** Decides what becomes of each arrival of a batch, in memory: it takes no locks and runs no statements. Change it freely. */
import { Buffer } from 'node:buffer';
import type { EventFlag } from '../../../event/event.ts';
import type { Verdict } from '../../../event/stored-event.ts';
import type { SeenSubject } from '../../inbox.ts';
import type { ArrivedEvent } from '../../shared/events/arrival.ts';
import {
  decide,
  flagsOf,
  hasMoved,
  type HasContent,
  type RepeatableEvent,
  type SubjectRow,
} from '../../shared/events/verdict.ts';
import { bodyDigest } from './known-events.ts';
import type { LatestEvent, LockedSubject } from './subjects.ts';

/** An arrival, and what is stored that it may repeat. */
export interface KnownArrival extends SeenSubject {
  readonly event: ArrivedEvent;
  readonly subject: LockedSubject;
  readonly ofMessage: RepeatableEvent | undefined;
  readonly ofContent: RepeatableEvent | undefined;
  /** The event of which it is a copy. */
  readonly original: number | undefined;
  readonly copied: boolean;
  /** The quarantine entry that it releases, and the entry's event if it was released before. */
  readonly entry: { readonly row: number; readonly eventId: number | null } | undefined;
}

/** What becomes of an arrival. `id` is its event, or the one that stands for it. */
export type Decided =
  | {
      readonly is: 'event';
      readonly id: number;
      readonly verdict: Verdict;
      readonly flags: readonly EventFlag[];
    }
  /** Stored before, and not to be counted: a copy, or released before. */
  | { readonly is: 'known'; readonly id: number }
  /** The subject has changed since it was seen; `id` is its newest open reconciled event, or 0. */
  | { readonly is: 'moved'; readonly id: number }
  | { readonly is: 'repeat' | 'conflict'; readonly id: number; readonly of: RepeatableEvent };

/** Events that have no numbers yet are named by negative ones, the first by -1. */
export interface DecidedBatch {
  readonly decided: readonly Decided[];
  /** The number of events without numbers. */
  readonly unnumbered: number;
  /** The latest events of subjects, where they are not those that were inserted with them. */
  readonly latest: readonly LatestEvent[];
}

/** Decides one arrival after the other, each with what the ones before it have become. */
export function decideBatch(
  arrivals: readonly KnownArrival[],
  hasContent: HasContent,
  rowOf: (id: string) => number | undefined,
): DecidedBatch {
  const subjects = new Map<number, SubjectRow>();
  const latest = new Map<number, LatestEvent>();
  const contents = new Map<string, RepeatableEvent>();
  const messages = new Map<string, RepeatableEvent>();
  const released = new Map<number, number>();
  const stored: { readonly arrival: KnownArrival; readonly id: number }[] = [];
  let unnumbered = 0;

  function originalInBatch({ event, subject }: KnownArrival): number | undefined {
    return stored.find(
      ({ arrival: one }) =>
        one.subject.id === subject.id &&
        one.event.delivery.receivedAt === event.delivery.receivedAt &&
        Buffer.compare(one.event.digest, event.digest) === 0 &&
        Buffer.compare(bodyDigest(one.event.delivery.body), bodyDigest(event.delivery.body)) === 0,
    )?.id;
  }

  /** Returns the number of the next event of a subject. The first one of a new subject has one already. */
  function numberFor(subject: LockedSubject): number {
    if (subject.isNew && subject.latest_event !== null && !subjects.has(subject.id))
      return subject.latest_event;
    unnumbered += 1;
    return -unnumbered;
  }

  function store(arrival: KnownArrival, verdict: Verdict): number {
    const { event, subject } = arrival;
    const id = numberFor(subject);
    stored.push({ arrival, id });
    const { digest, kind, version } = event;
    const row = { id, digest, kind, recognized: event.recognized ? 1 : 0, verdict };
    contents.set(contentKey(arrival), row);
    if (event.messageDigest !== null) messages.set(bytesKey(event.messageDigest), row);
    if (verdict === 'stale') return id;
    const known = subjects.get(subject.id) ?? (subject.isNew ? undefined : subject);
    const before = known?.latest_version ?? null;
    const after = before === null || (version !== null && before < version) ? version : before;
    const reconciled = event.flags.includes('reconciled') ? id : (known?.reconciled ?? null);
    subjects.set(subject.id, { ...subject, latest_event: id, latest_version: after, reconciled });
    if (id !== subject.latest_event || after !== subject.latest_version)
      latest.set(subject.id, { subjectId: subject.id, event: id, version: after });
    return id;
  }

  const decided = arrivals.map((arrival): Decided => {
    const { event, subject, entry } = arrival;
    const before = entry === undefined ? undefined : (entry.eventId ?? released.get(entry.row));
    const original = arrival.copied ? (originalInBatch(arrival) ?? arrival.original) : undefined;
    const stands = before ?? original;
    if (stands !== undefined) return { is: 'known', id: stands };
    const known = {
      ofMessage:
        event.messageDigest === null
          ? undefined
          : (messages.get(bytesKey(event.messageDigest)) ?? arrival.ofMessage),
      ofContent: contents.get(contentKey(arrival)) ?? arrival.ofContent,
    };
    const row = subjects.get(subject.id) ?? (subject.isNew ? undefined : subject);
    const decision = decide(event, known, row, hasContent);
    if (hasMoved(event, decision, row, arrival, rowOf)) return { is: 'moved', id: row?.reconciled ?? 0 };
    if (decision.is === 'conflict') return { is: 'conflict', id: decision.with.id, of: decision.with };
    const id = decision.is === 'event' ? store(arrival, decision.verdict) : decision.of.id;
    if (entry !== undefined) released.set(entry.row, id);
    return decision.is === 'event'
      ? { ...decision, id, flags: flagsOf(event, decision.verdict, entry !== undefined) }
      : { ...decision, id };
  });
  return { decided, unnumbered, latest: [...latest.values()] };
}

function contentKey({ subject, event }: KnownArrival): string {
  return `${String(subject.id)} ${bytesKey(event.digest)}`;
}

function bytesKey(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString('latin1');
}
