import type { JsonValue } from '../../kernel/json.ts';
import type { ClaimedDelivery } from '../lane-queue.ts';
import type { Connection } from './connection.ts';
import { eventColumns, storedEvent, type EventRow } from './event-record.ts';
import { rowId } from './ids.ts';
import type { RowCounts } from './row-counts.ts';
import { prepare, type Named } from './statement.ts';

/** Marks a waiting delivery running, and counts the try. To be called inside a transaction. */
export type StartDelivery = (delivery: number) => ClaimedDelivery;

interface ClaimRow extends EventRow {
  readonly handler: string;
  readonly lane: number;
  readonly effect: string;
  readonly effect_change: string | null;
  readonly late: number;
  readonly attempts: number;
  readonly replay_id: number;
  readonly body: Uint8Array | null;
}

export function createStartDelivery(
  { database, query, ids }: Connection,
  counts: Pick<RowCounts, 'deliveryMoved'>,
): StartDelivery {
  const start = prepare(database, (p: Named<{ id: number }>) =>
    query
      .updateTable('deliveries')
      .set((eb) => ({
        status: 'running',
        head: 0,
        attempts: eb('attempts', '+', 1),
        due_at: null,
        asked_at: null,
      }))
      .where('id', '=', p.id),
  );
  const read = prepare<{ id: number }, ClaimRow>(database, (p) =>
    query
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .innerJoin('subjects', 'subjects.id', 'events.subject_id')
      .select(eventColumns)
      .select([
        'deliveries.handler',
        'deliveries.lane',
        'deliveries.effect',
        'deliveries.effect_change',
        'deliveries.late',
        'deliveries.attempts',
        'deliveries.replay_id',
        'events.body',
      ])
      .where('deliveries.id', '=', p.id),
  );

  return (id) => {
    start.run({ id });
    const row = read.get({ id });
    if (row === undefined) throw new Error(`delivery ${String(id)} vanished from its transaction`);
    counts.deliveryMoved({ handler: row.handler, replayId: row.replay_id }, 'pending', 'running');
    return {
      id: rowId('d', id),
      lane: String(row.lane),
      handler: row.handler,
      effect: effectOf(row),
      attempt: row.attempts,
      replay: row.replay_id === 0 ? null : rowId('r', row.replay_id),
      event: storedEvent(row, ids),
    };
  };
}

function effectOf(row: ClaimRow): ClaimedDelivery['effect'] {
  if (row.effect === '') return null;
  return {
    name: row.effect,
    change: JSON.parse(row.effect_change ?? 'null') as JsonValue,
    late: row.late === 1,
  };
}
