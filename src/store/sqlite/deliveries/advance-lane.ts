import { dueTime } from './clock-jumps.ts';
import { rowOf } from '../sql/ids.ts';
import type { StartDelivery } from './start-delivery.ts';
import type { StartedDelivery } from './started-delivery.ts';
import type { LaneKey, WaitingDeliveries } from './waiting-deliveries.ts';

/** Who gets a lane's following delivery, as in `LaneQueue.advance`. */
export interface Onward {
  readonly now: number;
  readonly next: boolean;
  readonly replay?: string;
}

/**
 * Moves a lane on whose delivery is not running any more: its first one is
 * started when that is wanted and it is due, else made head. To be called
 * inside a transaction.
 */
export type MoveLaneOn = (lane: LaneKey, onward: Onward) => StartedDelivery | null;

export function createMoveLaneOn(waiting: WaitingDeliveries, start: StartDelivery): MoveLaneOn {
  return (lane, { now, next, replay }) => {
    const head = waiting.first(lane);
    if (head === undefined) return null;
    const wanted = replay === undefined || head.replay_id === rowOf('r', replay);
    if (next && wanted && dueTime(head, now) <= now) return start.one(head.id);
    waiting.promote(head, now);
    return null;
  };
}
