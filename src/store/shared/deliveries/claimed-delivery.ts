/** Claimed deliveries as rows, and as the dispatcher sees them. */
import type { StoredEvent } from '../../../event/stored-event.ts';
import { storedTraceparent } from '../../../kernel/http/traceparent.ts';
import { parseJson } from '../../../kernel/json/parse-json.ts';
import type { ClaimedDelivery, DeliveryKey } from '../../lane-queue.ts';
import { rowId, rowOf } from '../ids.ts';
import type { DeliveryClass } from '../statistics/count-classes.ts';
import type { LaneKey } from './lane-key.ts';

/** The row of a delivery in its lane, as claims read it. */
export interface QueuedDelivery {
  readonly delivery_id: number;
  readonly handler: string;
  readonly lane: number;
  readonly effect: string;
  readonly effect_change: string | null;
  readonly late: number;
  /** The number of the attempt that begins, from 1. */
  readonly attempt: number;
  readonly replay_id: number;
  readonly event_id: number;
}

/** A row with its lease and the number of its start, in a store of several processes. */
type ClaimedRow = QueuedDelivery & { readonly holder?: number; readonly start?: number };

export function deliveryKey(row: ClaimedRow): DeliveryKey {
  return {
    id: rowId('d', row.delivery_id),
    lane: String(row.lane),
    holder: row.holder ?? 0,
    start: row.start ?? 0,
    handler: row.handler,
    replay: row.replay_id === 0 ? null : rowId('j', row.replay_id),
  };
}

/** @param headers of the event, as JSON; null once pruned */
export function claimedDelivery(
  row: ClaimedRow,
  event: StoredEvent,
  headers: string | null,
): ClaimedDelivery {
  const traceparent = headers === null ? null : storedTraceparent(headers);
  return { ...deliveryKey(row), effect: effectOf(row), attempt: row.attempt, traceparent, event };
}

function effectOf(row: QueuedDelivery): ClaimedDelivery['effect'] {
  if (row.effect === '') return null;
  return {
    name: row.effect,
    change: parseJson(row.effect_change ?? 'null'),
    late: row.late === 1,
  };
}

/** A delivery in flight, by row numbers. */
export interface InFlightDelivery extends LaneKey, DeliveryClass {
  readonly id: number;
}

/** Converts a key to row numbers; an id of another store becomes row 0, which no delivery has. */
export function inFlightDelivery({ id, handler, lane, replay }: DeliveryKey): InFlightDelivery {
  return {
    id: rowOf('d', id) ?? 0,
    handler,
    lane: Number(lane),
    replayId: replay === null ? 0 : (rowOf('j', replay) ?? 0),
  };
}
