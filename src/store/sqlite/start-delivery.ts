import type { Connection } from './connection.ts';
import { eventColumns } from './event-record.ts';
import type { RowCounts } from './row-counts.ts';
import type { StartedDelivery } from './started-delivery.ts';
import { prepare, type Named } from './statement.ts';

/** Marks a waiting delivery running, and counts the try. To be called inside a transaction. */
export type StartDelivery = (delivery: number) => StartedDelivery;

export function createStartDelivery(
  { database, query }: Connection,
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
  const read = prepare<{ id: number }, StartedDelivery>(database, (p) =>
    query
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .innerJoin('subjects', 'subjects.id', 'events.subject_id')
      .select(eventColumns)
      .select([
        'deliveries.id as delivery_id',
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
    return row;
  };
}
