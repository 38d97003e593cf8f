/** Gives up deliveries that an operator discards. */
import { sql } from 'kysely';
import type { DeliveryStatus } from '../../queries.ts';
import { NO_HEAD } from '../../shared/deliveries/head-values.ts';
import type { FailureRows } from '../failures/failure-rows.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import type { Connection } from '../sql/connection.ts';
import { rowId, rowOf } from '../../shared/ids.ts';
import { prepare, type Named } from '../sql/statement.ts';
import type { Lanes } from './lanes.ts';

/** Ends pending and dead deliveries as skipped, and returns their ids. Called inside a transaction. */
export type DiscardDeliveries = (
  ids: readonly string[],
  options: { readonly reason: string; readonly now: number },
) => readonly string[];

interface Deps {
  readonly lanes: Pick<Lanes, 'proceed'>;
  readonly counts: Pick<RowCounts, 'deliveryMoved'>;
  readonly failures: Pick<FailureRows, 'forget'>;
}

export function createDiscardDeliveries(
  { database, query }: Connection,
  { lanes, counts, failures }: Deps,
): DiscardDeliveries {
  const find = prepare(database, (p: Named<{ id: number }>) =>
    query
      .selectFrom('deliveries')
      .select(['handler', 'lane', 'replay_id as replayId', 'status', 'head'])
      .where('id', '=', p.id)
      .where('status', 'in', ['pending', 'dead']),
  );
  const discard = prepare(database, (p: Named<{ id: number; reason: string; now: number }>) =>
    query
      .updateTable('deliveries')
      .set({
        status: 'skipped',
        head: NO_HEAD,
        due_at: null,
        asked_at: null,
        // Why it failed stays known.
        last_error: sql<string>`${p.reason} || coalesce('; before: ' || last_error, '')`,
        finished_at: p.now,
      })
      .where('id', '=', p.id),
  );

  return (ids, { reason, now }) =>
    ids
      .map((id) => rowOf('d', id) ?? 0)
      .filter((id) => {
        const row = find.get({ id });
        if (row === undefined) return false;
        discard.run({ id, reason, now });
        failures.forget(id);
        counts.deliveryMoved(row, row.status as DeliveryStatus, 'skipped');
        // The next delivery of its lane waited for it.
        if (row.head !== NO_HEAD) lanes.proceed(row, { now, next: false });
        return true;
      })
      .map((id) => rowId('d', id));
}
