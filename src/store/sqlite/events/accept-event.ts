import type { EventFlag } from '../../../event/event.ts';
import type { Verdict } from '../../../event/stored-event.ts';
import type { Acceptance, AcceptOptions } from '../../inbox.ts';
import type { Route } from '../../route.ts';
import type { EnqueueDelivery } from '../deliveries/enqueue-delivery.ts';
import type { Quarantine } from '../quarantine/quarantine.ts';
import type { Connection } from '../sql/connection.ts';
import type { ArrivedEvent, ArrivedRejection } from '../../rows/arrival.ts';
import type { EventRows, RepeatableEvent } from './event-rows.ts';
import type { SubjectRow, SubjectRows } from './subjects.ts';

/** Stores an event, or counts it as a repeat. Called inside a transaction. */
export type AcceptEvent = (
  event: ArrivedEvent,
  routes: readonly Route[],
  options?: AcceptOptions,
) => Acceptance;

interface Deps {
  readonly events: EventRows;
  readonly subjects: SubjectRows;
  readonly quarantine: Quarantine;
  readonly enqueue: EnqueueDelivery;
}

export function createAcceptEvent({ ids, clock }: Connection, deps: Deps): AcceptEvent {
  const { events, subjects, quarantine } = deps;

  return (event, routes, { releases, copied = false } = {}) => {
    const held = releases === undefined ? undefined : quarantine.find(releases);
    if (held !== undefined && held.eventId !== null) {
      // Another process released the entry first.
      return { status: 'duplicate', id: ids.event(held.eventId) };
    }
    const { source, receivedAt } = event.delivery;
    const subject = subjects.find(source, event.subject);
    const original = copied && subject !== undefined ? events.receivedAs(subject, event) : undefined;
    if (original !== undefined) return { status: 'duplicate', id: ids.event(original) };
    const decision = decide(event, findKnown(events, event, subject), subject, events);

    switch (decision.is) {
      case 'repeat': {
        if (held === undefined) events.countRepeat(decision.of, receivedAt);
        else quarantine.release(held.row, decision.of.id);
        return { status: 'duplicate', id: ids.event(decision.of.id) };
      }
      case 'conflict': {
        const id = ids.event(decision.with.id);
        // A released entry that conflicts again stays held.
        if (releases !== undefined) return { status: 'conflict', id, quarantineId: releases, dropped: 0 };
        events.countRepeat(decision.with, receivedAt);
        const { id: quarantineId, dropped } = quarantine.hold(conflict(event, id));
        return { status: 'conflict', id, quarantineId, dropped };
      }
      case 'event': {
        const { verdict } = decision;
        const flags = flagsOf(event, verdict, held !== undefined);
        const subjectId = subject?.id ?? subjects.insertForNextEvent(source, event.subject, event.version);
        const row = events.insert(event, subjectId, verdict, flags);
        if (subject !== undefined && verdict !== 'stale') subjects.setLatest(subjectId, row, event.version);
        if (held !== undefined) quarantine.release(held.row, row);
        const pending = enqueueRoutes(deps.enqueue, row, subjectId, verdict, routes, clock.now());
        return { status: 'stored', id: ids.event(row), verdict, flags, pending };
      }
    }
  };
}

/** The stored events that an arriving event may repeat. */
interface KnownEvents {
  /** The event with the same message id. */
  readonly ofMessage: RepeatableEvent | undefined;
  /** The subject's newest event with the same content; not looked up when `ofMessage` is found. */
  readonly ofContent: RepeatableEvent | undefined;
}

/** The content names the subject, so a new subject has no event with the same content. */
function findKnown(events: EventRows, event: ArrivedEvent, subject: SubjectRow | undefined): KnownEvents {
  const ofMessage = event.messageDigest === null ? undefined : events.ofMessage(event.messageDigest);
  if (ofMessage !== undefined || subject === undefined) return { ofMessage, ofContent: undefined };
  return { ofMessage, ofContent: events.newestOfContent(subject, event.digest) };
}

type Decision =
  | { readonly is: 'event'; readonly verdict: Verdict }
  | { readonly is: 'repeat'; readonly of: RepeatableEvent }
  /** A message id used again for another content. */
  | { readonly is: 'conflict'; readonly with: RepeatableEvent };

/** Decides whether an event is new, a repeat or a conflict. `subject` is undefined for a new subject. */
function decide(
  event: Pick<ArrivedEvent, 'digest' | 'messageDigest' | 'recognized' | 'version'>,
  { ofMessage, ofContent }: KnownEvents,
  subject: SubjectRow | undefined,
  events: Pick<EventRows, 'hasContent'>,
): Decision {
  if (ofMessage !== undefined) {
    // A trusted message id identifies the message, whatever was stored since.
    return events.hasContent(ofMessage, event.digest)
      ? { is: 'repeat', of: ofMessage }
      : { is: 'conflict', with: ofMessage };
  }
  if (ofContent === undefined) {
    return { is: 'event', verdict: isOlder(event.version, subject) ? 'stale' : 'new' };
  }
  // The content of an unknown kind has no known meaning, so each message id is an event.
  if (event.messageDigest !== null && !event.recognized) return { is: 'event', verdict: 'new' };
  // The same version, or the current content again, carries no news even under a new message id.
  if (event.version !== null || ofContent.id === subject?.latest_event)
    return { is: 'repeat', of: ofContent };
  // Earlier content came back. A new message id proves a real return; without one,
  // it may be a late redelivery.
  return { is: 'event', verdict: event.messageDigest === null ? 'ambiguous' : 'new' };
}

function isOlder(version: string | null, subject: SubjectRow | undefined): boolean {
  const latest = subject?.latest_version ?? null;
  return version !== null && latest !== null && version < latest;
}

/** Returns the number of deliveries that wait to run. */
function enqueueRoutes(
  enqueue: EnqueueDelivery,
  eventId: number,
  subjectId: number,
  verdict: Verdict,
  routes: readonly Route[],
  now: number,
): number {
  return routes.filter((route) =>
    enqueue(
      {
        eventId,
        subjectId,
        handler: route.handler,
        order: route.order,
        replayId: 0,
        ...(verdict === 'stale' && !route.stale ? { skip: 'stale' } : {}),
      },
      now,
      { first: true },
    ),
  ).length;
}

function flagsOf(event: ArrivedEvent, verdict: Verdict, released: boolean): readonly EventFlag[] {
  const flags = new Set(event.flags);
  if (verdict === 'ambiguous') flags.add('ambiguous');
  if (released) flags.add('released');
  return [...flags];
}

function conflict({ delivery, kind, messageDigest }: ArrivedEvent, first: string): ArrivedRejection {
  return {
    delivery,
    messageIdTrusted: messageDigest !== null,
    reason: 'conflict',
    kind,
    message: `the message id was used before, for another content (event ${first})`,
    issues: '[]',
  };
}
