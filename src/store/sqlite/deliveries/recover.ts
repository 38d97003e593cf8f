/** Makes pending again what a process that died had running. */
import { restartsOf, type Interrupted, type Restart } from '../../shared/deliveries/interrupted.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare, type Named } from '../sql/statement.ts';
import type { KeepAttempt } from './attempts.ts';
import type { ClockJumps } from './clock-jumps.ts';
import type { Lanes } from './lanes.ts';

/** Makes the deliveries that a crashed owner left running pending again. Called inside a transaction. */
export type Recover = () => number;

interface Deps {
  readonly lanes: Pick<Lanes, 'first' | 'makeHead'>;
  readonly counts: Pick<RowCounts, 'deliveryMoved'>;
  readonly clockJumps: ClockJumps;
  readonly keepAttempt: KeepAttempt;
}

export function createRecover(
  { database, query, clock }: Connection,
  { lanes, counts, clockJumps, keepAttempt }: Deps,
): Recover {
  const running = prepare(database, () =>
    query
      .selectFrom('delivery_counts')
      .select('handler')
      .where('status', '=', 'running')
      .where('deliveries', '>', 0)
      .limit(1),
  );
  const interrupted = prepare<object, Interrupted>(database, () =>
    query
      .selectFrom('deliveries')
      .select(['id', 'handler', 'lane', 'replay_id as replayId', 'attempts'])
      .where('finished_at', 'is', null)
      .where('status', '=', 'running'),
  );
  const requeue = prepare(database, (p: Named<{ id: number; dueAt: number; now: number; reason: string }>) =>
    query
      .updateTable('deliveries')
      .set((eb) => ({
        status: 'pending',
        cut_short: eb.lit(1),
        due_at: p.dueAt,
        asked_at: p.now,
        last_error: p.reason,
      }))
      .where('id', '=', p.id),
  );

  function release({ delivery, dueAt, reason }: Restart<Interrupted>, now: number): void {
    const { id, attempts } = delivery;
    requeue.run({ id, dueAt, now, reason });
    // A prefetched delivery may not have begun.
    if (attempts > 0) keepAttempt({ id, outcome: 'interrupted', now, durationMs: undefined, dueAt, reason });
    counts.deliveryMoved(delivery, 'running', 'pending');
    const first = lanes.first(delivery);
    if (first !== undefined) lanes.makeHead(first, now);
  }

  return () => {
    const now = clock.now();
    // The query scans all unfinished deliveries, so it runs only if the counts know a running one.
    const deliveries = running.get({}) === undefined ? [] : interrupted.all({});
    clockJumps.endAllProlongedWaits(now);
    for (const restart of restartsOf(deliveries, now)) release(restart, now);
    return deliveries.length;
  };
}
