import type { ClaimedAhead, ClaimedDelivery } from '../../../src/store/lane-queue.ts';

/**
 * What was claimed ahead.
 *
 * @param onRead told how many events are read
 */
export function unread(
  deliveries: readonly ClaimedDelivery[],
  onRead: (events: number) => void = () => undefined,
): ClaimedAhead {
  let left = deliveries;
  return {
    left: () => left.length,
    next(most) {
      const next = left.slice(0, most);
      left = left.slice(most);
      onRead(next.length);
      return Promise.resolve(next);
    },
    handlers: () => [...new Set(left.map(({ handler }) => handler))],
    withdraw(handlers) {
      const withdrawn = left.filter(({ handler }) => handlers.includes(handler));
      left = left.filter(({ handler }) => !handlers.includes(handler));
      return withdrawn;
    },
  };
}
