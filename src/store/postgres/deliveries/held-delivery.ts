/** A delivery together with the lease that may end it. */
import { sql, type RawBuilder } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
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

/**
 * The condition that a delivery is held under a lease. It keeps the planner from the index of held deliveries, in which
 * those that have ended stay until they are vacuumed: the planner does not see that it excludes null, as the index does.
 */
export function heldBy(holder: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`coalesce(deliveries.holder, -1) = ${holder}`;
}

export function notInFlight(ids: readonly number[]): PortariaError {
  const [only, ...others] = ids;
  const what =
    others.length === 0
      ? `delivery d${String(only)} is not in flight`
      : `some of ${String(ids.length)} deliveries are not in flight`;
  return new PortariaError('invalid-argument', what);
}
