/** Marks deliveries running, and counts their attempts. It runs in the writing thread: no `await`, no locks. */
import { sql } from 'kysely';
import type { RowCounts } from '../statistics/row-counts.ts';
import type { Connection } from '../sql/connection.ts';
import { valuesOf } from '../sql/expressions.ts';
import type { QueuedDelivery } from '../../shared/deliveries/claimed-delivery.ts';
import { NO_HEAD } from '../../shared/deliveries/head-values.ts';
import { prepare, type Named } from '../sql/statement.ts';

/** The columns of a `QueuedDelivery`. `attempt` is the next one: read them before the delivery is started. */
export const queuedColumns = [
  'deliveries.id as delivery_id',
  'deliveries.handler',
  'deliveries.lane',
  'deliveries.effect',
  'deliveries.effect_change',
  'deliveries.late',
  // The update that starts the delivery counts this attempt later.
  sql<number>`deliveries.attempts + 1`.as('attempt'),
  'deliveries.replay_id',
  'deliveries.event_id',
] as const;

/** Marks pending deliveries running. Called inside a transaction. */
export interface StartDeliveries {
  /** Starts one delivery and counts the attempt. */
  one(id: number): QueuedDelivery;
  /** Starts deliveries and counts their attempts. */
  several<D extends QueuedDelivery>(pending: readonly D[]): readonly D[];
  /** Starts prefetched deliveries: their attempts count with their outcomes. */
  prefetched<D extends QueuedDelivery>(pending: readonly D[]): readonly D[];
}

export function createStartDeliveries(
  { database, query }: Connection,
  counts: Pick<RowCounts, 'deliveryMoved'>,
): StartDeliveries {
  const running = (attempts: 0 | 1) =>
    query.updateTable('deliveries').set((eb) => ({
      status: 'running',
      head: NO_HEAD,
      attempts: eb('attempts', '+', eb.lit(attempts)),
      due_at: null,
      asked_at: null,
    }));
  const startOne = prepare(database, (p: Named<{ id: number }>) => running(1).where('id', '=', p.id));
  const readOne = prepare<{ id: number }, QueuedDelivery>(database, (p) =>
    query.selectFrom('deliveries').select(queuedColumns).where('deliveries.id', '=', p.id),
  );
  // One statement for many rows: running a statement costs as much as finding a row.
  const startSeveral = (attempts: 0 | 1) =>
    prepare(database, (p: Named<{ ids: string }>) =>
      running(attempts).where('id', 'in', valuesOf<number>(p.ids)),
    );
  const startCounted = startSeveral(1);
  const startUncounted = startSeveral(0);

  function count({ handler, replay_id: replayId }: QueuedDelivery): void {
    counts.deliveryMoved({ handler, replayId }, 'pending', 'running');
  }

  function start<D extends QueuedDelivery>(
    pending: readonly D[],
    statement: typeof startCounted,
  ): readonly D[] {
    for (const row of pending) count(row);
    if (pending.length > 0) statement.run({ ids: JSON.stringify(pending.map((row) => row.delivery_id)) });
    return pending;
  }

  return {
    one(id) {
      const started = readOne.get({ id });
      if (started === undefined) throw new Error(`delivery ${String(id)} is missing in its transaction`);
      startOne.run({ id });
      count(started);
      return started;
    },
    several(pending) {
      const [first, ...others] = pending;
      if (first === undefined || others.length > 0) return start(pending, startCounted);
      startOne.run({ id: first.delivery_id });
      count(first);
      return pending;
    },
    prefetched: (pending) => start(pending, startUncounted),
  };
}
