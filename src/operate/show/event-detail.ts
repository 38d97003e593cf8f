/** Events in detail: payload, deliveries, and what changed. */
import type { StoredDelivery } from '../../event/stored-event.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { Queries } from '../../store/queries.ts';
import { eventDetailView, type EventDetailView } from '../../view/event-view.ts';
import { steppedPayload, type SteppedPayload } from '../../view/payload/sent-payload.ts';
import type { Masking } from '../../view/payload/unmasking.ts';
import { allRows } from '../../kernel/row-pages.ts';
import { withAttempts } from './delivery-detail.ts';
import { eventNumber } from '../../handle/fold/event-number.ts';
import { changesBetween, type Changes } from '../../view/change-view.ts';

/**
 * Reads an event with its payload and all deliveries, including replays.
 *
 * @param id the full id, or only its number
 * @throws PortariaError `not-found`.
 */
export async function eventDetail(
  store: Pick<Queries, 'event' | 'deliveries' | 'attempts'>,
  id: string,
  masking: Masking,
): Promise<EventDetailView> {
  const event = await storedEvent(store, id);
  return detailOf(store, { event, payload: steppedPayload(event, masking) }, masking);
}

/** As {@link eventDetail}, with what changed from the event before: null for the first, and when a payload is pruned. */
export async function comparedEvent(
  store: Pick<Queries, 'event' | 'deliveries' | 'attempts' | 'subjectTrail'>,
  id: string,
  masking: Masking,
): Promise<{ readonly event: EventDetailView; readonly comparison: EventChanges | null }> {
  const event = await storedEvent(store, id);
  const payload = steppedPayload(event, masking);
  return {
    event: await detailOf(store, { event, payload }, masking),
    comparison: await eventChanges(store, { event, payload }, masking),
  };
}

async function storedEvent(store: Pick<Queries, 'event'>, id: string): Promise<StoredDelivery> {
  const event = await store.event(id);
  if (event === null) throw new PortariaError('not-found', `There is no event ${id}`);
  return event;
}

async function detailOf(
  store: Pick<Queries, 'deliveries' | 'attempts'>,
  { event, payload }: ReadEvent,
  masking: Masking,
): Promise<EventDetailView> {
  const rows = await allRows((page) => store.deliveries({ eventId: event.id }, { order: 'oldest', ...page }));
  const deliveries = await withAttempts(store, rows, masking);
  return eventDetailView(event, { deliveries, payload }, masking);
}

/** Fields that are listed. Two large payloads can differ in a hundred thousand. */
const MAX_CHANGES = 200;

/** What changed from the event before, with numbers as they were sent. */
export interface EventChanges extends Changes {
  /** The event that it is compared with. */
  readonly comparedWith: string;
}

/** A stored event whose payload is read once, for all that needs it. */
interface ReadEvent {
  readonly event: StoredDelivery;
  readonly payload: SteppedPayload;
}

/** Compares an event with the one before it of its subject; null for the first, and when a payload is pruned. */
async function eventChanges(
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
