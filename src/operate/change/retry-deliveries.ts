/** Retries dead letters. */
import type { Clock } from '../../kernel/time/clock.ts';
import type { LaneQueue } from '../../store/lane-queue.ts';
import type { DeliveryFilter, Queries } from '../../store/queries.ts';
import type { RetryView } from '../../view/operation-views.ts';
import { changeDeliveries } from './selected-deliveries.ts';

type RetryStore = Pick<Queries, 'deliveries'> & Pick<LaneQueue, 'retryDeliveries'>;

export interface RetryRequest {
  /** Selects deliveries by `ids` or any other conditions. Only dead ones are retried. */
  readonly filter: DeliveryFilter;
  readonly clock: Clock;
  /** Report what would be retried, without changes. */
  readonly dryRun: boolean;
}

/**
 * Makes dead deliveries pending with zero attempts, at the head of their lanes.
 * Named deliveries that are not dead are reported and not changed. Each page is a
 * transaction: after an error the earlier pages are retried, and calling again
 * retries the rest.
 */
export async function retryDeliveries(
  store: RetryStore,
  { filter, clock, dryRun }: RetryRequest,
): Promise<RetryView> {
  const selection = { filter, statuses: ['dead'], clock } as const;
  const { changed, left } = await changeDeliveries(store, selection, (dead) =>
    dryRun ? Promise.resolve(dead) : store.retryDeliveries(dead, clock.now()),
  );
  return { retried: changed, left_alone: left };
}
