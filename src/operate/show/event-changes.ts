/** Compares an event with the one before it. */
import type { StoredDelivery } from '../../event/stored-event.ts';
import { eventNumber } from '../../handle/fold/event-number.ts';
import type { Queries } from '../../store/queries.ts';
import { changesBetween, type Changes } from '../../view/change-view.ts';
import { steppedPayload, type SteppedPayload } from '../../view/payload/sent-payload.ts';
import type { Masking } from '../../view/payload/unmasking.ts';

/** Fields that are listed. Two large payloads can differ in a hundred thousand. */
const MAX_CHANGES = 200;

/** What changed from the event before, with numbers as they were sent. */
export interface EventChanges extends Changes {
  /** The event that it is compared with. */
  readonly comparedWith: string;
}

/** A stored event whose payload is read once, for all that needs it. */
export interface ReadEvent {
  readonly event: StoredDelivery;
  readonly payload: SteppedPayload;
}

/** Compares an event with the one before it of its subject; null for the first, and when a payload is pruned. */
export async function eventChanges(
  store: Pick<Queries, 'event' | 'subjectTrail'>,
  { event, payload }: ReadEvent,
  masking: Masking,
): Promise<EventChanges | null> {
  if (event.body === null) return null;
  const { events, predecessors } = await store.subjectTrail(event.subject, event.source);
  const number = predecessors[events.indexOf(eventNumber(event.id))] ?? 0;
  const before = number === 0 ? null : await store.event(String(number));
  const bytes = before?.body ?? null;
  if (before === null || bytes === null) return null;
  const changes = await changesBetween(steppedPayload(before, masking), payload, MAX_CHANGES);
  return { comparedWith: before.id, ...changes };
}
