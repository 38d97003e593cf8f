import type { JsonValue } from '../../kernel/json.ts';
import type { ClaimedDelivery } from '../lane-queue.ts';
import { storedEvent, type EventRow } from './event-record.ts';
import { rowId, type Ids } from './ids.ts';

/** A delivery that was just marked running, and its event, as they lie in the tables. */
export interface StartedDelivery extends EventRow {
  readonly delivery_id: number;
  readonly handler: string;
  readonly lane: number;
  readonly effect: string;
  readonly effect_change: string | null;
  readonly late: number;
  readonly attempts: number;
  readonly replay_id: number;
  readonly body: Uint8Array | null;
}

export function claimedDelivery(row: StartedDelivery, ids: Ids): ClaimedDelivery {
  return {
    id: rowId('d', row.delivery_id),
    lane: String(row.lane),
    handler: row.handler,
    effect: effectOf(row),
    attempt: row.attempts,
    replay: row.replay_id === 0 ? null : rowId('r', row.replay_id),
    event: storedEvent(row, ids),
  };
}

function effectOf(row: StartedDelivery): ClaimedDelivery['effect'] {
  if (row.effect === '') return null;
  return {
    name: row.effect,
    change: JSON.parse(row.effect_change ?? 'null') as JsonValue,
    late: row.late === 1,
  };
}
