/** Prefetched deliveries that wait as rows until they run. */
import type { DeliveryKey, Prefetched } from '../../lane-queue.ts';
import type { QueuedDelivery } from './claimed-delivery.ts';

/** The maximum number of bytes of event bodies that one read of prefetched deliveries loads. */
export const MAX_READ_BYTES = 4 * 1024 * 1024;

/** Prefetched deliveries whose events are not read yet. */
interface QueuedRows<D extends QueuedDelivery> extends Pick<Prefetched, 'left' | 'handlers' | 'withdraw'> {
  /** Returns the first ones, at most `most`. */
  first(most: number): readonly D[];
  /** Removes so many from the front. */
  take(count: number): void;
}

/**
 * Keeps prefetched deliveries as rows until they run: a tenth of the objects of
 * their events, and every minor GC copies what waits.
 */
export function queueRows<D extends QueuedDelivery>(
  started: readonly D[],
  keyOf: (row: D) => DeliveryKey,
): QueuedRows<D> {
  let waiting = started;
  /** The number of rows taken from the front of `waiting`. */
  let taken = 0;
  let handlers = [...new Set(started.map(({ handler }) => handler))];
  return {
    left: () => waiting.length - taken,
    first: (most) => waiting.slice(taken, taken + most),
    take(count) {
      taken += count;
    },
    handlers: () => handlers,
    withdraw(unwanted): readonly DeliveryKey[] {
      const isUnwanted = ({ handler }: QueuedDelivery): boolean => unwanted.includes(handler);
      const left = waiting.slice(taken);
      waiting = left.filter((row) => !isUnwanted(row));
      taken = 0;
      handlers = handlers.filter((handler) => !unwanted.includes(handler));
      return left.filter(isUnwanted).map((row) => keyOf(row));
    },
  };
}
