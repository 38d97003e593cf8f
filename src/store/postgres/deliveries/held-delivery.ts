import type { DeliveryKey } from '../../lane-queue.ts';
import { rowOf } from '../../rows/ids.ts';

/** A delivery in flight, by row numbers. */
export interface HeldDelivery {
  readonly id: number;
  readonly handler: string;
  readonly lane: number;
  readonly replayId: number;
  /** The lease under which it was claimed; 0, which nobody holds, for a key of another store. */
  readonly holder: number;
}

/**
 * Names a lane with the lease under which its delivery was claimed. A process that lost its lease may hold a newer
 * one, under which it has claimed the same delivery again: the outcome of the first run must change nothing.
 */
export function laneName(lane: number, holder: number): string {
  return `${String(lane)}/${String(holder)}`;
}

/** Returns the lease that a lane's name names. */
export function holderOf({ lane }: Pick<DeliveryKey, 'lane'>): number {
  return Number(lane.split('/')[1] ?? 0);
}

export function heldDelivery({ id, handler, lane, replay }: DeliveryKey): HeldDelivery {
  const [number = '', holder = '0'] = lane.split('/');
  return {
    id: rowOf('d', id) ?? 0,
    handler,
    lane: Number(number),
    replayId: replay === null ? 0 : (rowOf('r', replay) ?? 0),
    holder: Number(holder),
  };
}
