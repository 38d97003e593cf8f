import type { Prefetched, ClaimedDelivery, ReadDeliveries } from '../../../src/store/lane-queue.ts';

/** Prefetched deliveries in memory. */
export function prefetched(
  deliveries: readonly ClaimedDelivery[],
  read: (deliveries: readonly ClaimedDelivery[]) => ReadDeliveries,
): Prefetched {
  let left = deliveries;
  return {
    left: () => left.length,
    next(most) {
      const next = left.slice(0, most);
      left = left.slice(most);
      return Promise.resolve(read(next));
    },
    handlers: () => [...new Set(left.map(({ handler }) => handler))],
    withdraw(handlers) {
      const withdrawn = left.filter(({ handler }) => handlers.includes(handler));
      left = left.filter(({ handler }) => !handlers.includes(handler));
      return withdrawn;
    },
  };
}
