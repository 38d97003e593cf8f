/** A delivery together with the lease that may end it. */
import type { DeliveryKey } from '../../lane-queue.ts';
import { inFlightDelivery, type InFlightDelivery } from '../../rows/deliveries/claimed-delivery.ts';

/**
 * A delivery in flight, and the lease under which it was claimed. A process that lost its lease may hold a newer one,
 * under which it has claimed the same delivery again: the outcome of the first run must change nothing.
 */
export interface HeldDelivery extends InFlightDelivery {
  /** 0, which nobody holds, for a key of another store. */
  readonly holder: number;
}

export function heldDelivery(key: DeliveryKey): HeldDelivery {
  return { ...inFlightDelivery(key), holder: key.holder };
}
