import type { Connection } from '../sql/connection.ts';
import { rowId, rowOf } from '../sql/ids.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import { prepare, type Named } from '../sql/statement.ts';
import type { WaitingDeliveries } from './waiting-deliveries.ts';

/** Makes dead deliveries pending again. To be called inside a transaction. */
export type RetryDeliveries = (ids: readonly string[], now: number) => readonly string[];

interface Parts {
  readonly waiting: Pick<WaitingDeliveries, 'first' | 'putInFront'>;
  readonly counts: Pick<RowCounts, 'deliveryMoved'>;
}

/**
 * A lane takes its deliveries by number, and a dead one's is lower than those
 * of all that still wait, unless they were retried as well: it comes back to
 * its place by itself.
 */
export function createRetryDeliveries({ database, query }: Connection, parts: Parts): RetryDeliveries {
  const { waiting, counts } = parts;
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
    counts.deliveryMoved(row, 'dead', 'pending');
    const first = waiting.first(row);
    // Behind another it waits as that one does.
    if (first?.id === id) waiting.putInFront(first, row, now);
    return true;
  }

  return (ids, now) =>
    ids
      .map((id) => rowOf('d', id) ?? 0)
      .filter((id) => retry(id, now))
      .map((id) => rowId('d', id));
}
