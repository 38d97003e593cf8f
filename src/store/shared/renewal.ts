/** What the renewal of a store id returns, alike in both stores. */
import type { RenewedStoreId } from '../store.ts';
import { createIds, type FormerStoreId } from './ids.ts';

/** The row of an event, as a renewal reads the last one. */
export interface LastEvent {
  readonly id: number;
  readonly receivedAt: number;
}

/** @param former the store ids that earlier renewals replaced, oldest first */
export function renewedStoreId(
  about: Pick<RenewedStoreId, 'location' | 'storeId' | 'formerStoreId'>,
  last: LastEvent | undefined,
  former: readonly FormerStoreId[],
): RenewedStoreId {
  const ids = createIds(about.formerStoreId, former);
  return {
    ...about,
    lastEvent: last === undefined ? null : ids.event(last.id),
    newestAt: last?.receivedAt ?? null,
  };
}
