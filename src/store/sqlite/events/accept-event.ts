/**
 * Decides what an arrived event is, and stores it with its deliveries.
 *
 * Every webhook passes here, in the writing thread and inside its transaction: no `await`, no locks, and each call of
 * SQLite costs every webhook. The decision itself is in shared/events/verdict.ts.
 */
import type { Acceptance, AcceptOptions, Moved, SeenSubject } from '../../inbox.ts';
import type { Route } from '../../route.ts';
import type { EnqueueDelivery } from '../deliveries/enqueue.ts';
import type { Quarantine } from '../quarantine/quarantine.ts';
import type { Connection } from '../sql/connection.ts';
import type { ArrivedEvent } from '../../shared/events/arrival.ts';
import {
  conflict,
  decide,
  flagsOf,
  hasMoved,
  skipReason,
  type KnownEvents,
  type SubjectRow,
} from '../../shared/events/verdict.ts';
import type { EventRows } from './event-rows.ts';
import type { SubjectRows } from './subjects.ts';

/** Stores an event, or counts it as a repeat. Called inside a transaction. */
export type AcceptEvent = (
  event: ArrivedEvent,
  routes: readonly Route[],
  options?: AcceptOptions & SeenSubject,
) => Acceptance | Moved;

interface Deps {
  readonly events: EventRows;
  readonly subjects: SubjectRows;
  readonly quarantine: Quarantine;
  readonly enqueue: EnqueueDelivery;
}

export function createAcceptEvent({ ids, clock }: Connection, deps: Deps): AcceptEvent {
  const { events, subjects, quarantine } = deps;

  return (event, routes, { releases, copied = false, overtaken, ...seen } = {}) => {
    const entry = releases === undefined ? undefined : quarantine.find(releases);
    if (entry !== undefined && entry.eventId !== null) {
      // Another process released the entry first.
      return { status: 'duplicate', id: ids.event(entry.eventId) };
    }
    const { source, receivedAt } = event.delivery;
    const subject = subjects.find(source, event.subject, event.formerId);
    const original = copied && subject !== undefined ? events.receivedAs(subject, event) : undefined;
    if (original !== undefined) return { status: 'duplicate', id: ids.event(original) };
    const decision = decide(event, findKnown(events, event, subject), subject, events.hasContent);
    if (hasMoved(event, decision, subject, seen, ids.eventRow)) {
      const reconciled = subject?.reconciled ?? null;
      return { status: 'moved', reconciled: reconciled === null ? null : ids.event(reconciled) };
    }

    switch (decision.is) {
      case 'repeat': {
        if (entry === undefined) events.countRepeat(decision.of, receivedAt);
        else quarantine.release(entry.row, decision.of.id);
        if (subject?.reconciled === decision.of.id) subjects.setRepeated(subject.id, decision.of.id);
        return { status: 'duplicate', id: ids.event(decision.of.id) };
      }
      case 'conflict': {
        const id = ids.event(decision.with.id);
        // A released entry that conflicts again stays in quarantine.
        if (releases !== undefined) return { status: 'conflict', id, quarantineId: releases, dropped: 0 };
        events.countRepeat(decision.with, receivedAt);
        const { id: quarantineId, dropped } = quarantine.add(conflict(event, id));
        return { status: 'conflict', id, quarantineId, dropped };
      }
      case 'event': {
        const { verdict } = decision;
        const flags = flagsOf(event, verdict, entry !== undefined);
        const subjectId = subject?.id ?? subjects.insertForNextEvent(source, event.subject, event.version);
        const row = events.insert(event, subjectId, verdict, flags);
        if (subject !== undefined && verdict !== 'stale') subjects.setLatest(subjectId, row, event.version);
        if (flags.includes('reconciled')) subjects.setReconciled(subjectId, row);
        if (entry !== undefined) quarantine.release(entry.row, row);
        const ofEvent = { eventId: row, subjectId, replayId: 0 };
        const now = clock.now();
        const pending = routes.filter((route) => {
          const { handler, order } = route;
          const skip = skipReason(route, verdict, overtaken);
          return deps.enqueue({ ...ofEvent, handler, order, ...(skip !== null && { skip }) }, now, {
            first: true,
          });
        });
        return { status: 'stored', id: ids.event(row), verdict, flags, pending: pending.length };
      }
    }
  };
}

/** The content names the subject, so a new subject has no event with the same content. */
function findKnown(events: EventRows, event: ArrivedEvent, subject: SubjectRow | undefined): KnownEvents {
  const ofMessage = event.messageDigest === null ? undefined : events.ofMessage(event.messageDigest);
  if (ofMessage !== undefined || subject === undefined) return { ofMessage, ofContent: undefined };
  return { ofMessage, ofContent: events.newestOfContent(subject, event.digest) };
}
