import type { Connection } from '../sql/connection.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import { startedColumns, type StartedDelivery } from './started-delivery.ts';
import { prepare, type Named } from '../sql/statement.ts';
import { valuesOf } from '../sql/values-of.ts';

/** Marks waiting deliveries running. To be called inside a transaction. */
export interface StartDelivery {
  /** Counts the try. */
  one(id: number): StartedDelivery;
  /** Count their tries. */
  several<D extends StartedDelivery>(waiting: readonly D[]): readonly D[];
  /** Those that wait for their turn: their tries count with their outcomes. */
  ahead<D extends StartedDelivery>(waiting: readonly D[]): readonly D[];
}

export function createStartDelivery(
  { database, query }: Connection,
  counts: Pick<RowCounts, 'deliveryMoved'>,
): StartDelivery {
  const running = (tries: 0 | 1) =>
    query.updateTable('deliveries').set((eb) => ({
      status: 'running',
      head: 0,
      attempts: eb('attempts', '+', eb.lit(tries)),
      due_at: null,
      asked_at: null,
    }));
  const startOne = prepare(database, (p: Named<{ id: number }>) => running(1).where('id', '=', p.id));
  const readOne = prepare<{ id: number }, StartedDelivery>(database, (p) =>
    query.selectFrom('deliveries').select(startedColumns).where('deliveries.id', '=', p.id),
  );
  // Many in one go, because to run a statement takes as long as to find a row; for one it takes longer.
  const startSeveral = (tries: 0 | 1) =>
    prepare(database, (p: Named<{ ids: string }>) =>
      running(tries).where('id', 'in', valuesOf<number>(p.ids)),
    );
  const startAll = startSeveral(1);
  const startAhead = startSeveral(0);

  function count({ handler, replay_id: replayId }: StartedDelivery): void {
    counts.deliveryMoved({ handler, replayId }, 'pending', 'running');
  }

  function start<D extends StartedDelivery>(waiting: readonly D[], all: typeof startAll): readonly D[] {
    for (const row of waiting) count(row);
    if (waiting.length > 0) all.run({ ids: JSON.stringify(waiting.map((row) => row.delivery_id)) });
    return waiting;
  }

  return {
    one(id) {
      const started = readOne.get({ id }) ?? vanished(id);
      startOne.run({ id });
      count(started);
      return started;
    },
    several(waiting) {
      const [first, ...others] = waiting;
      if (first === undefined || others.length > 0) return start(waiting, startAll);
      startOne.run({ id: first.delivery_id });
      count(first);
      return waiting;
    },
    ahead: (waiting) => start(waiting, startAhead),
  };
}

function vanished(id: number): never {
  throw new Error(`delivery ${String(id)} vanished from its transaction`);
}
