import type { ClockJumps } from './clock-jumps.ts';
import type { Connection } from './connection.ts';
import { prepare, type Named } from './statement.ts';

/** Frees what a crashed owner left claimed. To be called inside a transaction. */
export type Recover = () => number;

export function createRecover({ database, query, clock }: Connection, clockJumps: ClockJumps): Recover {
  const requeue = prepare(database, () =>
    query
      .updateTable('deliveries')
      .set({ status: 'pending' })
      .where('finished_at', 'is', null)
      .where('status', '=', 'running')
      .where('lane_id', 'in', (eb) => eb.selectFrom('lanes').select('id').where('claimed', '=', 1)),
  );
  const release = prepare(database, (p: Named<{ now: number }>) =>
    query.updateTable('lanes').set({ claimed: 0, due_at: p.now, asked_at: p.now }).where('claimed', '=', 1),
  );

  return () => {
    const now = clock.now();
    const { changes } = requeue.run({});
    release.run({ now });
    clockJumps.endBrokenWaits(now);
    return changes;
  };
}
