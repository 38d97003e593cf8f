/** Repeats dead deliveries that an operator retries. */
import type { FailureRows } from '../failures/failure-rows.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import type { Connection } from '../sql/connection.ts';
import { rowId, rowOf } from '../../shared/ids.ts';
import { prepare, type Named } from '../sql/statement.ts';
import type { Lanes } from './lanes.ts';

/** Makes dead deliveries pending again, and returns their ids. Called inside a transaction. */
export type RetryDeliveries = (ids: readonly string[], now: number) => readonly string[];

interface Deps {
  readonly lanes: Pick<Lanes, 'first' | 'putFirst'>;
  readonly counts: Pick<RowCounts, 'deliveryMoved'>;
  readonly failures: Pick<FailureRows, 'forget'>;
}

/**
 * A lane runs its deliveries by number. A dead one has a lower number than all
 * that wait, except others retried before it, so it returns to its place.
 */
export function createRetryDeliveries(
  { database, query }: Connection,
  { lanes, counts, failures }: Deps,
): RetryDeliveries {
  const find = prepare(database, (p: Named<{ id: number }>) =>
    query
      .selectFrom('deliveries')
      .select(['handler', 'lane', 'replay_id as replayId'])
      .where('id', '=', p.id)
      .where('status', '=', 'dead'),
  );
  const revive = prepare(database, (p: Named<{ id: number }>) =>
    query
      .updateTable('deliveries')
      .set({ status: 'pending', attempts: 0, finished_at: null, due_at: null, asked_at: null })
      .where('id', '=', p.id),
  );

  function retry(id: number, now: number): boolean {
    const row = find.get({ id });
    if (row === undefined) return false;
    revive.run({ id });
    failures.forget(id);
    counts.deliveryMoved(row, 'dead', 'pending');
    const first = lanes.first(row);
    // Behind another delivery it waits until that one is finished.
    if (first?.id === id) lanes.putFirst(first, row, now);
    return true;
  }

  return (ids, now) =>
    ids
      .map((id) => rowOf('d', id) ?? 0)
      .filter((id) => retry(id, now))
      .map((id) => rowId('d', id));
}
