/** Deliveries in detail, with their failed attempts. */
import { PortariaError } from '../../kernel/errors.ts';
import type { DeliveryRecord, Queries } from '../../store/queries.ts';
import { deliveryDetailView, type DeliveryDetailView } from '../../view/delivery-view.ts';
import type { Unmasking } from '../../view/payload/unmasking.ts';

type DeliveryStore = Pick<Queries, 'deliveries' | 'attempts'>;

/**
 * Reads a delivery with its failed attempts.
 *
 * @throws PortariaError `not-found`.
 */
export async function deliveryDetail(
  store: DeliveryStore,
  id: string,
  unmasking: Unmasking,
): Promise<DeliveryDetailView> {
  const found = await store.deliveries({ ids: [id] }, { order: 'oldest', limit: 1 });
  const [detail] = await withAttempts(store, found, unmasking);
  if (detail === undefined) throw new PortariaError('not-found', `There is no delivery ${id}`);
  return detail;
}

/** Adds to each delivery its failed attempts. */
export async function withAttempts(
  store: Pick<Queries, 'attempts'>,
  deliveries: readonly DeliveryRecord[],
  unmasking: Unmasking,
): Promise<readonly DeliveryDetailView[]> {
  if (deliveries.length === 0) return [];
  const attempts = Map.groupBy(
    await store.attempts(deliveries.map(({ id }) => id)),
    ({ deliveryId }) => deliveryId,
  );
  return deliveries.map((delivery) =>
    deliveryDetailView(delivery, attempts.get(delivery.id) ?? [], unmasking),
  );
}
