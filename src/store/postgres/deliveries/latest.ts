/**
 * Leaves the newest delivery in lanes of which only that one runs.
 *
 * It takes no lock of a lane: as in every claim, the row of the head stands for the lane. Who starts or moves a head has
 * locked its row, and asks again whether it is the head. All rows of a change are locked first, without waiting; if
 * another transaction has one of them, the lane stays as it is. What arrives meanwhile is behind them, and runs later.
 */
import { sql } from 'kysely';
import type { LaneHead } from '../../shared/deliveries/claim-policy.ts';
import { HEAD, NO_HEAD } from '../../shared/deliveries/head-values.ts';
import {
  changeOfLane,
  READ_AT_ONCE,
  wasRetried,
  type LaneChange,
  type LatestClaim,
  type LatestHead,
  type SettledHeads,
  type WaitingDelivery,
} from '../../shared/deliveries/latest-policy.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { isAnyOf, unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { headColumns } from './lane-heads.ts';
import { laneColumns } from './lanes.ts';

/** Changes the lanes of due heads. */
export async function settleLanes(
  { session, counts }: Transaction,
  heads: readonly LatestHead[],
  {
    now,
    claim,
    ids,
  }: { readonly now: number; readonly claim: LatestClaim; readonly ids: Pick<Ids, 'event'> },
): Promise<SettledHeads> {
  if (heads.length === 0) return new Map();
  const waiting = await waitingIn(session, heads);
  const changes = new Map<LaneHead, LaneChange>();
  let most = claim.left();
  for (const [at, { head, policy }] of heads.entries()) {
    const change = changeOfLane(head, waiting.get(at) ?? [], { ...policy, now, most, ids });
    if (change === undefined) continue;
    changes.set(head, change);
    most -= change.superseded?.ids.length ?? 0;
  }
  const free = await lockChanges(session, [...changes]);
  await supersede(session, free, now);
  const made = await makeHeads(session, free, now);
  const settled = new Map<LaneHead, LaneHead | null>([...changes.keys()].map((head) => [head, null]));
  for (const [due, change] of free) {
    const { handler } = due;
    const { length } = change.superseded?.ids ?? [];
    if (length > 0) counts.deliveryMoved({ handler, replayId: 0 }, 'pending', 'skipped', length);
    claim.changed(handler, change);
    const next = made.get(change.head?.id ?? 0);
    if (next !== undefined && next.due_at <= now) settled.set(due, next);
  }
  return settled;
}

/** Reads the ends of lanes, as many lanes as fit; the first one always does. */
async function waitingIn(
  session: Session,
  heads: readonly LatestHead[],
): Promise<ReadonlyMap<number, readonly WaitingDelivery[]>> {
  const lanes = heads.map(({ head }) => head);
  const rows = await session.rows(
    sql<WaitingDelivery & { at: number }>`
      select (lanes.at - 1)::integer as at, waiting.*, of_event.*
      from ${unnestOf('lanes', lanes, { ...laneColumns, at: 'place' })}
      cross join lateral (
        select deliveries.id, deliveries.event_id, (deliveries.replay_id <> 0 or ${wasRetried})::integer as kept
        from deliveries
        where deliveries.handler = lanes.handler and deliveries.lane = lanes.lane and deliveries.finished_at is null
        order by deliveries.handler desc, deliveries.lane desc, deliveries.id desc limit ${sql.lit(READ_AT_ONCE)}
      ) as waiting
      cross join lateral (
        select version, received_at, (verdict = 'ambiguous')::integer as ambiguous
        from events where events.id = waiting.event_id limit 1
      ) as of_event
      limit ${READ_AT_ONCE + lanes.length}`,
  );
  return Map.groupBy(rows, ({ at }) => at);
}

/** Returns the changes whose rows were all free, and are locked now. */
async function lockChanges(
  session: Session,
  changes: readonly (readonly [LaneHead, LaneChange])[],
): Promise<readonly (readonly [LaneHead, LaneChange])[]> {
  const rowsOf = ([head, change]: (typeof changes)[number]): readonly number[] => [
    head.delivery_id,
    ...(change.superseded?.ids ?? []),
    ...(change.head === undefined ? [] : [change.head.id]),
  ];
  const wanted = changes.filter(([, { superseded, head }]) => superseded !== undefined || head !== undefined);
  if (wanted.length === 0) return [];
  const locked = await session.rows(
    sql<{ id: number; head: number }>`
      select id, head from deliveries
      where ${isAnyOf('id', wanted.flatMap(rowsOf), 'bigint')} and status = 'pending'
      for update skip locked`,
  );
  const headOf = new Map(locked.map(({ id, head }) => [id, head]));
  return wanted.filter(
    (change) => headOf.get(change[0].delivery_id) === HEAD && rowsOf(change).every((id) => headOf.has(id)),
  );
}

async function supersede(
  session: Session,
  changes: readonly (readonly [LaneHead, LaneChange])[],
  now: number,
): Promise<void> {
  const rows = changes.flatMap(
    ([, { superseded }]) => superseded?.ids.map((id) => ({ id, reason: superseded.reason })) ?? [],
  );
  if (rows.length === 0) return;
  await session.run(sql`
    update deliveries set
      status = 'skipped', head = ${sql.lit(NO_HEAD)}, due_at = null, asked_at = null, finished_at = ${now},
      last_error = superseded.reason
    from ${unnestOf('superseded', rows, {
      id: ['bigint', ({ id }) => id],
      reason: ['text', ({ reason }) => reason],
    })}
    where deliveries.id = superseded.id`);
}

/** Returns the heads by their numbers. */
async function makeHeads(
  session: Session,
  changes: readonly (readonly [LaneHead, LaneChange])[],
  now: number,
): Promise<ReadonlyMap<number, LaneHead>> {
  const heads = changes.flatMap(([, { head }]) => (head === undefined ? [] : [head]));
  if (heads.length === 0) return new Map();
  const made = await session.rows(
    sql<LaneHead>`
      update deliveries set head = ${sql.lit(HEAD)}, due_at = heads.due_at, asked_at = ${now}
      from ${unnestOf('heads', heads, {
        id: ['bigint', ({ id }) => id],
        due_at: ['bigint', ({ dueAt }) => dueAt],
      })}
      where deliveries.id = heads.id
      returning ${headColumns}`,
  );
  return new Map(made.map((head) => [head.delivery_id, head]));
}
