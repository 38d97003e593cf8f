import { PortariaError } from '../kernel/errors.ts';
import type { Queries } from '../store/queries.ts';
import { eventDetailView, type EventDetailView } from '../view/event-view.ts';
import type { Masking } from '../view/unmasking.ts';
import { allRows } from './all-rows.ts';
import { withAttempts } from './delivery-detail.ts';

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
  const event = await store.event(id);
  if (event === null) throw new PortariaError('not-found', `There is no event ${id}`);
  const deliveries = await allRows((page) => store.deliveries({ eventId: event.id }, page));
  return eventDetailView(event, await withAttempts(store, deliveries, masking), masking);
}
