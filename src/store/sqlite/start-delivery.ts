import { sql } from 'kysely';
import type { Connection } from './connection.ts';
import { eventColumns } from './event-record.ts';
import type { RowCounts } from './row-counts.ts';
import type { StartedDelivery } from './started-delivery.ts';
import { prepare, type Named } from './statement.ts';

/** Marks waiting deliveries running, and counts the try. To be called inside a transaction. */
export interface StartDelivery {
  one(id: number): StartedDelivery;
  /** One after the other, until `goesOn` says otherwise. */
  several(ids: readonly number[], goesOn: (started: StartedDelivery) => boolean): readonly StartedDelivery[];
}

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
  const startOne = prepare(database, (p: Named<{ id: number }>) => running().where('id', '=', p.id));
  // Many in one go, because to run a statement takes as long as to find a row; for one it takes longer.
  const startAll = prepare(database, (p: Named<{ ids: string }>) =>
    running().where('id', 'in', sql<number>`(select value from json_each(${p.ids}))`),
  );
  const read = prepare<{ id: number }, StartedDelivery>(database, (p) =>
    query
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .innerJoin('subjects', 'subjects.id', 'events.subject_id')
      .select(eventColumns)
      .select((eb) => [
        'deliveries.id as delivery_id',
        'deliveries.handler',
        'deliveries.lane',
        'deliveries.effect',
        'deliveries.effect_change',
        'deliveries.late',
        // Read before it is counted.
        eb('deliveries.attempts', '+', 1).as('attempts'),
        'deliveries.replay_id',
        'events.body',
      ])
      .where('deliveries.id', '=', p.id),
  );

  function readOne(id: number): StartedDelivery {
    const row = read.get({ id });
    if (row === undefined) throw new Error(`delivery ${String(id)} vanished from its transaction`);
    counts.deliveryMoved({ handler: row.handler, replayId: row.replay_id }, 'pending', 'running');
    return row;
  }

  return {
    one(id) {
      const started = readOne(id);
      startOne.run({ id });
      return started;
    },
    several(ids, goesOn) {
      const started: StartedDelivery[] = [];
      for (const id of ids) {
        const row = readOne(id);
        started.push(row);
        if (!goesOn(row)) break;
      }
      const [first] = ids;
      if (first !== undefined && started.length === 1) startOne.run({ id: first });
      else startAll.run({ ids: JSON.stringify(ids.slice(0, started.length)) });
      return started;
    },
  };
}
