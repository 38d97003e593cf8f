import type { EventFlag } from '../../../event/event.ts';
import type { Verdict } from '../../../event/stored-event.ts';
import type { Acceptance, AcceptOptions } from '../../inbox.ts';
import type { Route } from '../../route.ts';
import type { ArrivedEvent, ArrivedRejection } from './arrival.ts';
import type { Connection } from '../sql/connection.ts';
import type { EnqueueDelivery } from '../deliveries/enqueue-delivery.ts';
import type { EventRows } from './event-rows.ts';
import { judge } from './decide-verdict.ts';
import type { Quarantine } from '../quarantine/quarantine.ts';
import type { SubjectRows } from './subject-rows.ts';

/** Stores an event, or counts it as a repeat. To be called inside a transaction. */
export type AcceptEvent = (
  event: ArrivedEvent,
  routes: readonly Route[],
  options?: AcceptOptions,
) => Acceptance;

interface Parts {
  readonly events: EventRows;
  readonly subjects: SubjectRows;
  readonly quarantine: Quarantine;
  readonly enqueue: EnqueueDelivery;
}

export function createAcceptEvent({ ids, clock }: Connection, parts: Parts): AcceptEvent {
  const { events, subjects, quarantine } = parts;

  return (event, routes, { releases, copied = false } = {}) => {
    const held = releases === undefined ? undefined : quarantine.find(releases);
    if (held !== undefined && held.eventId !== null) {
      // Somebody else released it in the meantime.
      return { status: 'duplicate', id: ids.event(held.eventId) };
    }
    const { source, receivedAt } = event.delivery;
    const subject = subjects.find(source, event.subject);
    const original = copied && subject !== undefined ? events.receivedAs(subject.id, event) : undefined;
    if (original !== undefined) return { status: 'duplicate', id: ids.event(original) };
    const judgement = judge(event, findKnown(events, event, subject?.id), subject);

    switch (judgement.is) {
      case 'repeat': {
        if (held === undefined) events.countRepeat(judgement.of, receivedAt);
        else quarantine.release(held.row, judgement.of.id);
        return { status: 'duplicate', id: ids.event(judgement.of.id) };
      }
      case 'conflict': {
        const id = ids.event(judgement.with.id);
        // Released as it was, it is in the way of the same event again: it stays held.
        if (releases !== undefined) return { status: 'conflict', id, quarantineId: releases, dropped: 0 };
        events.countRepeat(judgement.with, receivedAt);
        const { id: quarantineId, dropped } = quarantine.hold(conflict(event, id));
        return { status: 'conflict', id, quarantineId, dropped };
      }
      case 'event': {
        const { verdict } = judgement;
        const flags = flagsOf(event, verdict, held !== undefined);
        const subjectId = subject?.id ?? subjects.insertForNextEvent(source, event.subject, event.version);
        const row = events.insert(event, subjectId, verdict, flags);
        if (subject !== undefined && verdict !== 'stale') subjects.setLatest(subjectId, row, event.version);
        if (held !== undefined) quarantine.release(held.row, row);
        const pending = enqueueRoutes(parts.enqueue, row, subjectId, verdict, routes, clock.now());
        return { status: 'stored', id: ids.event(row), verdict, flags, pending };
      }
    }
  };
}

/** The stored events that this one may repeat. Content names its subject, so a new subject has none. */
function findKnown(events: EventRows, event: ArrivedEvent, subjectId: number | undefined) {
  const ofMessage = event.messageDigest === null ? undefined : events.ofMessage(event.messageDigest);
  if (ofMessage !== undefined || subjectId === undefined) return { ofMessage, ofContent: undefined };
  return { ofMessage, ofContent: events.newestOfContent(subjectId, event.digest) };
}

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
