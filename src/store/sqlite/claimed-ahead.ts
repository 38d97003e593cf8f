import type { ClaimedAhead, ClaimedDelivery } from '../lane-queue.ts';
import type { FittingEvents } from './fitting-events.ts';
import type { StartedDelivery } from './started-delivery.ts';

/**
 * What waits for its turn, as it lies in its table: a tenth of the objects that
 * events are, and what waits in memory is copied by every collection.
 */
export function claimedAhead(
  started: readonly StartedDelivery[],
  fitting: FittingEvents,
  withEvents: (started: readonly StartedDelivery[]) => Promise<readonly ClaimedDelivery[]>,
): ClaimedAhead {
  let taken = 0;
  return {
    left: () => started.length - taken,
    next(most) {
      const next = fitting(started.slice(taken, taken + most));
      taken += next.length;
      return withEvents(next);
    },
  };
}
