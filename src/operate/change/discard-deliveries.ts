import type { Clock } from '../../kernel/time/clock.ts';
import type { LaneQueue } from '../../store/lane-queue.ts';
import type { DeliveryFilter, DeliveryStatus, Queries } from '../../store/queries.ts';
import type { DiscardView } from '../../view/operation-views.ts';
import { changeDeliveries } from './selected-deliveries.ts';

type DiscardStore = Pick<Queries, 'deliveries'> & Pick<LaneQueue, 'discardDeliveries'>;

/** The statuses of deliveries that can be discarded: the others run, or are over. */
export const discardable: readonly DeliveryStatus[] = ['pending', 'dead'];

export interface DiscardRequest {
  /** Selects deliveries by `ids` or any other conditions. Only pending and dead ones are discarded. */
  readonly filter: DeliveryFilter;
  readonly clock: Clock;
  /** Who discards them, and why. Stored with each delivery. */
  readonly by: string;
  readonly why: string;
  /** Report what would be discarded, without changes. */
  readonly dryRun: boolean;
}

/**
 * Ends pending and dead deliveries as skipped, also those of handlers that no longer exist, and lets their lanes
 * go on. Named deliveries in another status are reported and not changed. Each page is a transaction.
 */
export async function discardDeliveries(
  store: DiscardStore,
  { filter, clock, by, why, dryRun }: DiscardRequest,
): Promise<DiscardView> {
  const at = new Date(clock.now()).toISOString();
  const reason = `discarded by ${by} at ${at}: ${why}`;
  const selection = { filter, statuses: discardable, clock };
  const { changed, left } = await changeDeliveries(store, selection, (ids) =>
    dryRun ? Promise.resolve(ids) : store.discardDeliveries(ids, { reason, now: clock.now() }),
  );
  return { discarded: changed, left_alone: left };
}
