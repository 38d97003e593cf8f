import { sql } from 'kysely';
import type { StoredEvent } from '../../../event/stored-event.ts';
import { parseJson } from '../../../kernel/json/parse-json.ts';
import type { ClaimedDelivery, DeliveryKey } from '../../lane-queue.ts';
import { rowId } from '../sql/ids.ts';

/** A delivery that was just marked running, as it lies in its table. */
export interface StartedDelivery {
  readonly delivery_id: number;
  readonly handler: string;
  readonly lane: number;
  readonly effect: string;
  readonly effect_change: string | null;
  readonly late: number;
  /** Which try this is, from 1. */
  readonly attempt: number;
  readonly replay_id: number;
  readonly event_id: number;
}

/** What makes one, of a delivery that is about to be started. */
export const startedColumns = [
  'deliveries.id as delivery_id',
  'deliveries.handler',
  'deliveries.lane',
  'deliveries.effect',
  'deliveries.effect_change',
  'deliveries.late',
  // Read before it is counted.
  sql<number>`deliveries.attempts + 1`.as('attempt'),
  'deliveries.replay_id',
  'deliveries.event_id',
] as const;

export function deliveryKey(row: StartedDelivery): DeliveryKey {
  return {
    id: rowId('d', row.delivery_id),
    lane: String(row.lane),
    handler: row.handler,
    replay: row.replay_id === 0 ? null : rowId('r', row.replay_id),
  };
}

export function claimedDelivery(row: StartedDelivery, event: StoredEvent): ClaimedDelivery {
  return { ...deliveryKey(row), effect: effectOf(row), attempt: row.attempt, event };
}

function effectOf(row: StartedDelivery): ClaimedDelivery['effect'] {
  if (row.effect === '') return null;
  return {
    name: row.effect,
    change: parseJson(row.effect_change ?? 'null'),
    late: row.late === 1,
  };
}
