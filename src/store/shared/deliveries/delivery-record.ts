/** Deliveries as operators read them. */
import type { PauseLookup } from '../../pauses.ts';
import type { DeliveryRecord, DeliveryStatus } from '../../queries.ts';
import { rowId, type Ids } from '../ids.ts';

/** The columns of a delivery, joined with its event and its subject. */
export interface DeliveryRow {
  readonly id: number;
  readonly event_id: number;
  readonly handler: string;
  readonly effect: string;
  readonly replay_id: number;
  readonly status: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly due_at: number | null;
  readonly finished_at: number | null;
  readonly kind: string;
  readonly source: string;
  readonly family: string;
  readonly entity: string;
  /** When the first of its lane is due: a delivery behind another waits until then. */
  readonly lane_due_at: number | null;
}

export function deliveryRecord(row: DeliveryRow, ids: Ids, pauses: PauseLookup): DeliveryRecord {
  const { handler, source } = row;
  const subject = { family: row.family, id: row.entity };
  const isPending = row.status === 'pending';
  return {
    id: rowId('d', row.id),
    eventId: ids.event(row.event_id),
    kind: row.kind,
    source,
    subject,
    handler,
    effect: row.effect === '' ? null : row.effect,
    replay: row.replay_id === 0 ? null : rowId('j', row.replay_id),
    status: row.status as DeliveryStatus,
    attempts: row.attempts,
    lastError: row.last_error,
    dueAt: isPending ? (row.due_at ?? row.lane_due_at) : null,
    finishedAt: row.finished_at,
    // Only a pending delivery can wait for a pause.
    pausedBy: (isPending && pauses.of({ handler, source, subject })) || null,
  };
}
