import type { DeliveryFilter, Queries } from '../store/queries.ts';
import type { Replays } from '../store/replays.ts';
import type { RetryView } from '../view/retry-view.ts';
import { allRows } from './all-rows.ts';

export interface RetryRequest {
  /** Which deliveries: `ids`, or any other conditions. Only dead ones are retried. */
  readonly filter: DeliveryFilter;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Tell what would be retried, change nothing. */
  readonly dryRun: boolean;
}

/**
 * Gives dead deliveries a fresh count of tries, at the head of their lanes.
 * Deliveries that are named and not dead are reported and left alone.
 */
export async function retryDeliveries(
  store: Pick<Queries, 'deliveries'> & Pick<Replays, 'retryDeliveries'>,
  { filter, now, dryRun }: RetryRequest,
): Promise<RetryView> {
  const named = filter.ids;
  // Conditions alone mean the dead ones among them; names are answered for one by one.
  const wanted: DeliveryFilter = named === undefined ? { ...filter, status: 'dead' } : filter;
  const found = await allRows((page) => store.deliveries(wanted, page));
  const dead = found.filter(({ status }) => status === 'dead').map(({ id }) => id);
  const retried = dryRun ? dead : await store.retryDeliveries(dead, now);

  const done = new Set(retried);
  const statuses = new Map(found.map(({ id, status }) => [id, status]));
  const asked = named ?? dead;
  const left = asked.filter((id) => !done.has(id)).map((id) => ({ id, status: statuses.get(id) ?? null }));
  return { retried: [...retried], left_alone: left };
}
