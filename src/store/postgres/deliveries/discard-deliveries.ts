/** Ends pending and dead deliveries as skipped, at an operator's request. */
import { sql } from 'kysely';
import type { DeliveryStatus } from '../../queries.ts';
import { NO_HEAD } from '../../shared/deliveries/head-values.ts';
import type { LaneKey } from '../../shared/deliveries/lane-key.ts';
import { rowId, rowOf } from '../../shared/ids.ts';
import { forgetFailures } from '../failures/failure-changes.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { isAnyOf } from '../sql/expressions.ts';
import { lockLanesOf, makeHeadsOf } from './lanes.ts';

interface DiscardedDelivery extends LaneKey {
  readonly id: number;
  readonly replayId: number;
  readonly before: DeliveryStatus;
  readonly head: number;
}

/** Ends pending and dead deliveries as skipped, and returns their ids. */
export async function discardDeliveries(
  transaction: Transaction,
  ids: readonly string[],
  { reason, now }: { readonly reason: string; readonly now: number },
): Promise<readonly string[]> {
  const { session, counts } = transaction;
  const wanted = [...new Set(ids.map((id) => rowOf('d', id) ?? 0))];
  const lanes = await session.rows(
    sql<LaneKey>`
      select handler, lane from deliveries
      where ${isAnyOf('id', wanted, 'bigint')} and status in ('pending', 'dead')`,
  );
  await lockLanesOf(session, lanes);
  const discarded = await session.rows(
    sql<DiscardedDelivery>`
      with found as (
        select id, status, head from deliveries
        where ${isAnyOf('id', wanted, 'bigint')} and status in ('pending', 'dead')
        order by id for update
      )
      update deliveries set
        status = 'skipped', head = ${sql.lit(NO_HEAD)}, due_at = null, asked_at = null, finished_at = ${now},
        -- Why it failed stays known.
        last_error = ${reason}::text || coalesce('; before: ' || last_error, '')
      from found where deliveries.id = found.id
      returning deliveries.id, handler, lane, replay_id as "replayId", found.status as before, found.head`,
  );
  if (discarded.length === 0) return [];
  for (const delivery of discarded) counts.deliveryMoved(delivery, delivery.before, 'skipped');
  // The next delivery of its lane waited for it.
  await makeHeadsOf(
    transaction,
    discarded.filter(({ head }) => head !== NO_HEAD),
    now,
  );
  const changed = new Set(discarded.map(({ id }) => id));
  await forgetFailures(session, [...changed]);
  return wanted.filter((id) => changed.has(id)).map((id) => rowId('d', id));
}
