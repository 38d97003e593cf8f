/** Decides what an arriving event is: new, stale, ambiguous, a repeat or a conflict. */
import type { EventFlag } from '../../../event/event.ts';
import type { Verdict } from '../../../event/stored-event.ts';
import type { AcceptOptions, SeenSubject } from '../../inbox.ts';
import type { Route } from '../../route.ts';
import type { ArrivedEvent, ArrivedRejection } from './arrival.ts';
import { sql, type RawBuilder } from 'kysely';
import { subjectName, type Subject } from '../../../event/subject.ts';
import { changeOf } from '../../../event/version-order.ts';

/** A stored event that an arriving one may repeat. */
export interface RepeatableEvent {
  readonly id: number;
  readonly digest: Uint8Array;
  readonly kind: string;
  readonly recognized: number;
  readonly verdict: Verdict;
}

/** The row of a subject before an event is stored. */
export interface SubjectRow {
  readonly id: number;
  readonly latest_event: number | null;
  readonly latest_version: string | null;
  /** How often an event of the subject was erased. */
  readonly erased: number;
  /** The newest reconciled event that no webhook has repeated. */
  readonly reconciled: number | null;
}

/** The stored events that an arriving event may repeat. */
export interface KnownEvents {
  /** The event with the same message id. */
  readonly ofMessage: RepeatableEvent | undefined;
  /** The subject's newest event with the same content; not looked up when `ofMessage` is found. */
  readonly ofContent: RepeatableEvent | undefined;
}

export type Decision =
  | { readonly is: 'event'; readonly verdict: Verdict }
  | { readonly is: 'repeat'; readonly of: RepeatableEvent }
  /** A message id used again for another content. */
  | { readonly is: 'conflict'; readonly with: RepeatableEvent };

/** Whether the content of a stored event has this digest, or had it before it was erased. */
export type HasContent = (event: RepeatableEvent, digest: Uint8Array) => boolean;

/** Decides whether an event is new, a repeat or a conflict. `subject` is undefined for a new subject. */
export function decide(
  event: Pick<ArrivedEvent, 'digest' | 'messageDigest' | 'recognized' | 'version'> &
    Partial<Pick<ArrivedEvent, 'flags'>>,
  { ofMessage, ofContent }: KnownEvents,
  subject: SubjectRow | undefined,
  hasContent: HasContent,
): Decision {
  if (ofMessage !== undefined) {
    // A trusted message id identifies the message, whatever was stored since.
    return hasContent(ofMessage, event.digest)
      ? { is: 'repeat', of: ofMessage }
      : { is: 'conflict', with: ofMessage };
  }
  const isReconciled = event.flags?.includes('reconciled') === true;
  if (ofContent === undefined) {
    if (isOlder(event.version, subject?.latest_version)) return { is: 'event', verdict: 'stale' };
    // Without versions, only the provider tells whether a webhook is older than the record that a repair has told.
    const isAfterReconciled = event.version === null && !isReconciled && isLatestReconciled(subject);
    return { is: 'event', verdict: isAfterReconciled ? 'ambiguous' : 'new' };
  }
  // The content of an unknown kind has no known meaning, so each message id is an event.
  if (event.messageDigest !== null && !event.recognized) return { is: 'event', verdict: 'new' };
  // The same version, or the current content again, carries no news even under a new message id.
  if (event.version !== null || ofContent.id === subject?.latest_event)
    return { is: 'repeat', of: ofContent };
  // Earlier content came back. A new message id, or the provider's record, proves a real return; otherwise it may be a
  // late redelivery.
  const isProven = isReconciled || (event.messageDigest !== null && !isLatestReconciled(subject));
  return { is: 'event', verdict: isProven ? 'new' : 'ambiguous' };
}

/** Whether the subject has changed since it was seen, so that the event must be compared first. Events by row. */
export function hasMoved(
  { version }: Pick<ArrivedEvent, 'version'>,
  decision: Decision,
  subject: SubjectRow | undefined,
  { latest, compared }: SeenSubject,
  rowOf: (id: string) => number | undefined,
): boolean {
  const rowOfSeen = (id: string | null): number | null => (id === null ? null : (rowOf(id) ?? 0));
  if (latest !== undefined) return rowOfSeen(latest) !== (subject?.latest_event ?? null);
  if (compared === undefined || decision.is === 'conflict' || subject?.reconciled == null) return false;
  // A repeat may be the first one of a reconciled event, after a try that filled it in and was not counted.
  if (decision.is === 'repeat' && decision.of.id > subject.reconciled) return false;
  // A version after all known ones is a change of its own. Without versions, only the latest event can be the same.
  if (
    decision.is === 'event' &&
    (version === null
      ? !isLatestReconciled(subject)
      : changeOf(version) > changeOf(subject.latest_version ?? ''))
  )
    return false;
  // One of the same batch has no number yet, and is newer than any other.
  return subject.reconciled < 0 || subject.reconciled > (rowOfSeen(compared) ?? 0);
}

/** Whether a subject's latest event is a reconciled one that no webhook has repeated. */
function isLatestReconciled(subject: SubjectRow | undefined): boolean {
  return subject?.latest_event != null && subject.latest_event === subject.reconciled;
}

/** Whether a version is before the latest one that is known of its subject. */
export function isOlder(version: string | null, latest: string | null | undefined): boolean {
  return version !== null && latest != null && version < latest;
}

/** Returns why the delivery of a route is stored as skipped; null for one that waits to run. */
export function skipReason(
  { handler, stale }: Route,
  verdict: Verdict,
  overtaken: AcceptOptions['overtaken'],
): string | null {
  if (verdict === 'stale' && !stale) return 'stale';
  const later = overtaken?.find((each) => each.handler === handler);
  return later === undefined ? null : `overtaken by event ${later.by}`;
}

/** Returns the flags of an event to store. */
export function flagsOf(event: ArrivedEvent, verdict: Verdict, released: boolean): readonly EventFlag[] {
  const flags = new Set(event.flags);
  if (verdict === 'ambiguous') flags.add('ambiguous');
  if (released) flags.add('released');
  return [...flags];
}

/** Returns what the quarantine holds of an event whose message id was used before, by the event `first`. */
export function conflict(
  { delivery, kind, subject, messageDigest }: ArrivedEvent,
  first: string,
): ArrivedRejection {
  return {
    delivery,
    messageIdTrusted: messageDigest !== null,
    reason: 'conflict',
    kind,
    subject: subjectName(subject),
    message: `the message id was used before, for another content (event ${first})`,
    issues: '[]',
  };
}

/** Returns the first six bytes of a digest as a number: exact in a double, small in an index. */
export function digestKey(digest: Uint8Array): number {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).readUIntBE(0, 6);
}

/** The statement that selects the row number of a subject. */
export function subjectRow(source: string, { family, id }: Subject): RawBuilder<{ id: number }> {
  return sql<{ id: number }>`
    select id from subjects where family = ${family} and entity = ${id} and source = ${source}`;
}
