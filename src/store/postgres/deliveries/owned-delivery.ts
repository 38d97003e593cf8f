/** A delivery together with the lease and the start that may end it. */
import { sql, type RawBuilder } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { DeliveryKey } from '../../lane-queue.ts';
import { inFlightDelivery, type InFlightDelivery } from '../../shared/deliveries/claimed-delivery.ts';
import type { Columns } from '../sql/expressions.ts';

/**
 * A delivery in flight, with its lease and the number of its start. The process may have started the same delivery
 * again, under a newer lease, or because the response to an earlier outcome was lost: a repeated outcome of the first
 * run changes nothing.
 */
export interface OwnedDelivery extends InFlightDelivery {
  /** 0, which owns nothing, for a key of another store. */
  readonly holder: number;
  readonly start: number;
}

export function ownedDelivery(key: DeliveryKey): OwnedDelivery {
  return { ...inFlightDelivery(key), holder: key.holder, start: key.start };
}

/** The columns that identify the run of each delivery, for {@link isRunOf}. */
export function runColumns<R>(deliveryOf: (row: R) => OwnedDelivery): Columns<R> {
  return {
    id: ['bigint', (row) => deliveryOf(row).id],
    holder: ['bigint', (row) => deliveryOf(row).holder],
    start: ['bigint', (row) => deliveryOf(row).start],
  };
}

/** The columns that identify the runs of deliveries. */
export const runsOfDeliveries = runColumns((delivery: OwnedDelivery) => delivery);

/** The condition that a row of deliveries is in the run that a row of `run` identifies. */
export function isRunOf(run: string): RawBuilder<boolean> {
  const column = (name: string): RawBuilder<unknown> => sql.ref(`${run}.${name}`);
  return sql`
    deliveries.id = ${column('id')} and deliveries.status = 'running' and ${ownedBy(column('holder'))}
    and deliveries.starts = ${column('start')}`;
}

/**
 * The condition that a delivery is owned under a lease. It keeps the planner from the index of owned deliveries, in which
 * those that have ended stay until they are vacuumed: the planner does not see that it excludes null, as the index does.
 */
function ownedBy(holder: RawBuilder<unknown>): RawBuilder<boolean> {
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
