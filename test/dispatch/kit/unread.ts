import type { ClaimedAhead, ClaimedDelivery } from '../../../src/store/lane-queue.ts';

/** What was claimed ahead. */
export function unread(deliveries: readonly ClaimedDelivery[]): ClaimedAhead {
  let left = deliveries;
  return {
    left: () => left.length,
    next(most) {
      const next = left.slice(0, most);
      left = left.slice(most);
      return Promise.resolve(next);
    },
  };
}
