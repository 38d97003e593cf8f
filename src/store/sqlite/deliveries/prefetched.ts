import type { Prefetched, DeliveryKey, ReadDeliveries } from '../../lane-queue.ts';
import type { FittingEvents } from './fitting-events.ts';
import { deliveryKey, type StartedDelivery } from './started-delivery.ts';

/**
 * What waits for its turn, as it lies in its table: a tenth of the objects that
 * events are, and what waits in memory is copied by every collection.
 */
export function prefetched(
  started: readonly StartedDelivery[],
  fitting: FittingEvents,
  read: (started: readonly StartedDelivery[]) => ReadDeliveries,
): Prefetched {
  let waiting = started;
  /** Of these, from the first on. */
  let taken = 0;
  let handlers = [...new Set(started.map(({ handler }) => handler))];
  return {
    left: () => waiting.length - taken,
    next(most) {
      const next = fitting(waiting.slice(taken, taken + most));
      taken += next.length;
      return Promise.resolve(read(next));
    },
    handlers: () => handlers,
    withdraw(unwanted): readonly DeliveryKey[] {
      const isUnwanted = ({ handler }: StartedDelivery): boolean => unwanted.includes(handler);
      const left = waiting.slice(taken);
      waiting = left.filter((row) => !isUnwanted(row));
      taken = 0;
      handlers = handlers.filter((handler) => !unwanted.includes(handler));
      return left.filter(isUnwanted).map(deliveryKey);
    },
  };
}
