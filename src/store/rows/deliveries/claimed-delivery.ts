import type { StoredEvent } from '../../../event/stored-event.ts';
import { parseJson } from '../../../kernel/json/parse-json.ts';
import type { ClaimedDelivery, DeliveryKey } from '../../lane-queue.ts';
import { rowId } from '../ids.ts';

/** The row of a delivery that is marked running. */
export interface StartedDelivery {
  readonly delivery_id: number;
  readonly handler: string;
  readonly lane: number;
  readonly effect: string;
  readonly effect_change: string | null;
  readonly late: number;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  readonly replay_id: number;
  readonly event_id: number;
}

/** @param lane the lane as others see it */
export function deliveryKey(row: StartedDelivery, lane = String(row.lane)): DeliveryKey {
  return {
    id: rowId('d', row.delivery_id),
    lane,
    handler: row.handler,
    replay: row.replay_id === 0 ? null : rowId('r', row.replay_id),
  };
}

export function claimedDelivery(row: StartedDelivery, event: StoredEvent, lane?: string): ClaimedDelivery {
  return { ...deliveryKey(row, lane), effect: effectOf(row), attempt: row.attempt, event };
}

function effectOf(row: StartedDelivery): ClaimedDelivery['effect'] {
  if (row.effect === '') return null;
  return {
    name: row.effect,
    change: parseJson(row.effect_change ?? 'null'),
    late: row.late === 1,
  };
}
