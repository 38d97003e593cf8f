/** Predicts the verdicts of events from what is stored. */
import type { Prediction, UndecidedEvent } from '../../plans.ts';
import {
  decide,
  type Decision,
  type HasContent,
  type KnownEvents,
  type RepeatableEvent,
  type SubjectRow,
} from './verdict.ts';

/** What is stored that decides about an event. */
export interface StoredBefore extends KnownEvents {
  readonly subject: SubjectRow | undefined;
}

/** Decides about events as if they were accepted one after the other. `before` has what is stored, for each. */
export function predictVerdicts(
  events: readonly UndecidedEvent[],
  before: readonly StoredBefore[],
  hasContent: HasContent,
): readonly Prediction[] {
  const subjects = new Map<string, SubjectRow>();
  const contents = new Map<string, RepeatableEvent>();
  const messages = new Map<string, RepeatableEvent>();

  return events.map((event, index) => {
    const stored = before[index];
    const subjectKey = JSON.stringify([event.source, event.subject.family, event.subject.id]);
    const contentKey = `${subjectKey} ${bytesKey(event.digest)}`;
    const ofMessage =
      event.messageDigest === null
        ? undefined
        : (messages.get(bytesKey(event.messageDigest)) ?? stored?.ofMessage);
    const ofContent = contents.get(contentKey) ?? stored?.ofContent;
    const subject = subjects.get(subjectKey) ?? stored?.subject;
    const decision = decide(event, { ofMessage, ofContent }, subject, hasContent);
    if (decision.is === 'event') {
      // No stored event has a number below 0.
      const id = -1 - index;
      const { digest, messageDigest, recognized } = event;
      const row = { id, digest, kind: '', recognized: recognized ? 1 : 0, verdict: decision.verdict };
      contents.set(contentKey, row);
      if (messageDigest !== null) messages.set(bytesKey(messageDigest), row);
      if (decision.verdict !== 'stale') subjects.set(subjectKey, latest(event, id, subject));
    }
    return predictionOf(decision);
  });
}

/** The subject with the event as its latest. Its version never decreases. */
function latest({ version }: UndecidedEvent, id: number, subject: SubjectRow | undefined): SubjectRow {
  const before = subject?.latest_version ?? null;
  const after = before === null || (version !== null && before < version) ? version : before;
  return { id: 0, erased: 0, reconciled: null, ...subject, latest_event: id, latest_version: after };
}

function predictionOf(decision: Decision): Prediction {
  if (decision.is === 'event') return decision.verdict;
  return decision.is === 'repeat' ? 'duplicate' : 'conflict';
}

function bytesKey(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString('latin1');
}
