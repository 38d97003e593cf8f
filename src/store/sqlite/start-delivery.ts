import { sql } from 'kysely';
import type { Connection } from './connection.ts';
import type { RowCounts } from './row-counts.ts';
import type { StartedDelivery } from './started-delivery.ts';
import { prepare, type Named } from './statement.ts';
import { valuesOf } from './values-of.ts';

/** A delivery that is about to start, and how many bytes its event's body has. */
interface Starting extends StartedDelivery {
  readonly bytes: number | null;
}

/** Marks waiting deliveries running, and counts the try. To be called inside a transaction. */
export interface StartDelivery {
  one(id: number): StartedDelivery;
  /** One after the other, until `goesOn` says otherwise, which is told how many bytes the event of the last has. */
  several(ids: readonly number[], goesOn: (bytes: number) => boolean): readonly StartedDelivery[];
}

/** Deliveries that are read at a time: of those that there is no room for, so many are read in vain. */
const READ_AT_ONCE = 128;

export function createStartDelivery(
  { database, query }: Connection,
  counts: Pick<RowCounts, 'deliveryMoved'>,
): StartDelivery {
  const running = () =>
    query.updateTable('deliveries').set((eb) => ({
      status: 'running',
      head: 0,
      attempts: eb('attempts', '+', 1),
      due_at: null,
      asked_at: null,
    }));
  const columns = [
    'deliveries.id as delivery_id',
    'deliveries.handler',
    'deliveries.lane',
    'deliveries.effect',
    'deliveries.effect_change',
    'deliveries.late',
    // Read before it is counted.
    sql<number>`deliveries.attempts + 1`.as('attempts'),
    'deliveries.replay_id',
    'deliveries.event_id',
  ] as const;
  const startOne = prepare(database, (p: Named<{ id: number }>) => running().where('id', '=', p.id));
  const readOne = prepare<{ id: number }, StartedDelivery>(database, (p) =>
    query.selectFrom('deliveries').select(columns).where('deliveries.id', '=', p.id),
  );
  // Many in one go, because to run a statement takes as long as to find a row; for one it takes longer.
  const startAll = prepare(database, (p: Named<{ ids: string }>) =>
    running().where('id', 'in', valuesOf<number>(p.ids)),
  );
  const readAll = prepare<{ ids: string }, Starting>(database, (p) =>
    query
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .select(columns)
      .select(sql<number | null>`length(events.body)`.as('bytes'))
      .where('deliveries.id', 'in', valuesOf<number>(p.ids)),
  );

  function inOrder(ids: readonly number[]): readonly Starting[] {
    const found = new Map(readAll.all({ ids: JSON.stringify(ids) }).map((row) => [row.delivery_id, row]));
    return ids.map((id) => found.get(id) ?? vanished(id));
  }

  function* starting(ids: readonly number[]): Generator<Starting> {
    for (let at = 0; at < ids.length; at += READ_AT_ONCE) yield* inOrder(ids.slice(at, at + READ_AT_ONCE));
  }

  function count({ handler, replay_id: replayId }: StartedDelivery): void {
    counts.deliveryMoved({ handler, replayId }, 'pending', 'running');
  }

  return {
    one(id) {
      const started = readOne.get({ id }) ?? vanished(id);
      startOne.run({ id });
      count(started);
      return started;
    },
    several(ids, goesOn) {
      const started: StartedDelivery[] = [];
      for (const { bytes, ...row } of starting(ids)) {
        started.push(row);
        count(row);
        if (!goesOn(bytes ?? 0)) break;
      }
      const [first] = ids;
      if (first === undefined) return started;
      if (started.length === 1) startOne.run({ id: first });
      else startAll.run({ ids: JSON.stringify(ids.slice(0, started.length)) });
      return started;
    },
  };
}

function vanished(id: number): never {
  throw new Error(`delivery ${String(id)} vanished from its transaction`);
}
