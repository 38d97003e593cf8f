import type { DeliveryKey } from '../../lane-queue.ts';
import type { HeldDelivery } from './held-deliveries.ts';
import { rowOf } from '../sql/ids.ts';

/** A claimed delivery by row; one that is none of this store's is row 0, which there is not. */
export function heldDelivery({ id, handler, lane, replay }: DeliveryKey): HeldDelivery {
  return {
    id: rowOf('d', id) ?? 0,
    handler,
    lane: Number(lane),
    replayId: replay === null ? 0 : (rowOf('r', replay) ?? 0),
  };
}
