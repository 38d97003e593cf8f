import type { Replays } from '../../replays.ts';
import { write } from '../commit/write.ts';
import type { Connection } from '../sql/connection.ts';
import { discardDeliveries } from './discard-deliveries.ts';
import { retryDeliveries } from './retry-deliveries.ts';

/** What operators do with deliveries. */
export function createDeliveryWrites({
  transact,
}: Connection): Pick<Replays, 'retryDeliveries' | 'discardDeliveries'> {
  return {
    retryDeliveries: (ids, now) => write(transact, (transaction) => retryDeliveries(transaction, ids, now)),
    discardDeliveries: (ids, options) =>
      write(transact, (transaction) => discardDeliveries(transaction, ids, options)),
  };
}
