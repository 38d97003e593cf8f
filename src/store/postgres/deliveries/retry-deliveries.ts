/** Makes dead deliveries pending again, at an operator's request. */
import { sql } from 'kysely';
import { NO_HEAD } from '../../shared/deliveries/head-values.ts';
import { laneKey, type LaneKey } from '../../shared/deliveries/lane-key.ts';
import { rowId, rowOf } from '../../shared/ids.ts';
import { forgetFailures } from '../failures/failure-changes.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { isAnyOf, isLockedAs, unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { firstDeliveries, laneColumns, lockLanesOf, makeHeads, type LaneFront } from './lanes.ts';

interface RevivedDelivery extends LaneKey {
  readonly id: number;
  readonly replayId: number;
}

/**
 * Makes dead deliveries pending again, and returns their ids.
 *
 * A lane runs its deliveries by number. A dead one has a lower number than all that wait, except others retried
 * before it, so it returns to its place.
 */
export async function retryDeliveries(
  { session, counts }: Transaction,
  ids: readonly string[],
  now: number,
): Promise<readonly string[]> {
  const wanted = [...new Set(ids.map((id) => rowOf('d', id) ?? 0))];
  const lanes = await session.rows(
    sql<LaneKey>`
      select handler, lane from deliveries where ${isAnyOf('id', wanted, 'bigint')} and status = 'dead'`,
  );
  await lockLanesOf(session, lanes);
  const revived = await session.rows(
    sql<RevivedDelivery>`
      update deliveries set status = 'pending', attempts = 0, finished_at = null, due_at = null, asked_at = null
      where ${isLockedAs(sql`
        select id from deliveries where ${isAnyOf('id', wanted, 'bigint')} and status = 'dead'
        order by id for update`)}
      returning id, handler, lane, replay_id as "replayId"`,
  );
  if (revived.length === 0) return [];
  for (const delivery of revived) counts.deliveryMoved(delivery, 'dead', 'pending');
  const changed = new Set(revived.map(({ id }) => id));
  await putFirst(session, revived, now);
  await forgetFailures(session, [...changed]);
  return wanted.filter((id) => changed.has(id)).map((id) => rowId('d', id));
}

/**
 * Makes the first deliveries of lanes heads, where another one was or none. Where one runs, the lane proceeds to the
 * first when that ends: a claim may start the former head meanwhile.
 */
async function putFirst(session: Session, revived: readonly RevivedDelivery[], now: number): Promise<void> {
  const lanes = [...new Map(revived.map((lane) => [laneKey(lane.handler, lane.lane), lane])).values()];
  const first = await firstDeliveries(session, lanes);
  const former = await session.rows(
    sql<{ at: number; id: number; head: number }>`
      select (lanes.at - 1)::integer as at, former.id, former.head
      from ${unnestOf('lanes', lanes, { ...laneColumns, at: 'place' })}
      cross join lateral (
        select id, head from deliveries
        where deliveries.handler = lanes.handler and deliveries.lane = lanes.lane
          and finished_at is null and (head <> ${sql.lit(NO_HEAD)} or status = 'running')
        order by id limit 1
      ) as former`,
  );
  const heads = former.filter(({ head }) => head !== NO_HEAD).map(({ id }) => id);
  const demoted = await session.rows(
    sql<{ id: number }>`
      update deliveries set head = ${sql.lit(NO_HEAD)}
      where ${isLockedAs(sql`
        select id from deliveries where ${isAnyOf('id', heads, 'bigint')} and head <> ${sql.lit(NO_HEAD)}
        order by id for update`)}
      returning id`,
  );
  const free = new Set(demoted.map(({ id }) => id));
  const formerOf = new Map(former.map(({ at, id }) => [at, id]));
  const isFree = ({ at }: LaneFront): boolean => {
    const other = formerOf.get(at);
    return other === undefined || free.has(other);
  };
  await makeHeads(session, first.filter(isFree), now);
}
