/**
 * Leaves the newest delivery in lanes of which only that one runs.
 *
 * It takes no lock of a lane: as in every claim, the row of the head stands for the lane. Who starts or moves a head has
 * locked its row, and asks again whether it is the head. All rows of a change are locked first, without waiting; if
 * another transaction has one of them, the lane stays as it is. What arrives meanwhile is behind them, and runs later.
 */
import { sql } from 'kysely';
import type { Choice, LaneHead } from '../../shared/deliveries/claim-policy.ts';
import { HEAD, NO_HEAD } from '../../shared/deliveries/head-values.ts';
import {
  READ_AT_ONCE,
  wasReleased,
  wasRetried,
  type LaneChange,
  type LatestClaim,
  type WaitingDelivery,
} from '../../shared/deliveries/latest-policy.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { isAnyOf, unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { headColumns } from './lane-heads.ts';
import { laneColumns } from './lanes.ts';

/** Changes the lanes of chosen heads. */
export async function settleLanes(
  { session, counts }: Transaction,
  choice: Choice,
  now: number,
  latest: LatestClaim,
): Promise<void> {
  const heads = latest.among(choice);
  if (heads.length === 0) return;
  const waiting = await waitingIn(session, heads);
  const changes = await lockedOf(
    session,
    latest.changesOf(heads, (_, at) => waiting.get(at) ?? []),
  );
  if (changes.length === 0) return;
  await supersede(session, changes, now);
  const made = await makeHeads(session, changes, now);
  for (const change of changes) {
    const { due, superseded, head } = change;
    const of = { handler: due.handler, replayId: 0 };
    if (superseded !== undefined) counts.deliveryMoved(of, 'pending', 'skipped', superseded.length);
    latest.made(change, head && made.get(head.id));
  }
}

/** Reads the ends of lanes, as many lanes as fit; the first one always does. */
async function waitingIn(
  session: Session,
  heads: readonly LaneHead[],
): Promise<ReadonlyMap<number, readonly WaitingDelivery[]>> {
  const rows = await session.rows(
    sql<WaitingDelivery & { at: number }>`
      select (lanes.at - 1)::integer as at, waiting.*, of_event.*
      from ${unnestOf('lanes', heads, { ...laneColumns, at: 'place' })}
      cross join lateral (
        select deliveries.id, deliveries.event_id, (deliveries.replay_id <> 0 or ${wasRetried})::integer as kept
        from deliveries
        where deliveries.handler = lanes.handler and deliveries.lane = lanes.lane and deliveries.finished_at is null
        order by deliveries.handler desc, deliveries.lane desc, deliveries.id desc limit ${sql.lit(READ_AT_ONCE)}
      ) as waiting
      cross join lateral (
        select version, received_at, (verdict = 'ambiguous')::integer as ambiguous, ${wasReleased}::integer as released
        from events where events.id = waiting.event_id limit 1
      ) as of_event
      limit ${READ_AT_ONCE + heads.length}`,
  );
  return Map.groupBy(rows, ({ at }) => at);
}

/** Returns the changes whose rows were all free, and are locked now. */
async function lockedOf(session: Session, changes: readonly LaneChange[]): Promise<readonly LaneChange[]> {
  if (changes.length === 0) return [];
  const rowsOf = ({ due, superseded = [], head }: LaneChange): readonly number[] => [
    due.delivery_id,
    ...superseded,
    ...(head === undefined ? [] : [head.id]),
  ];
  const locked = await session.rows(
    sql<{ id: number; head: number }>`
      select id, head from deliveries
      where ${isAnyOf('id', changes.flatMap(rowsOf), 'bigint')} and status = 'pending'
      for update skip locked`,
  );
  const headOf = new Map(locked.map(({ id, head }) => [id, head]));
  return changes.filter(
    (change) => headOf.get(change.due.delivery_id) === HEAD && rowsOf(change).every((id) => headOf.has(id)),
  );
}

async function supersede(session: Session, changes: readonly LaneChange[], now: number): Promise<void> {
  const rows = changes.flatMap(({ superseded = [], reason = '' }) =>
    superseded.map((id) => ({ id, reason })),
  );
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
  changes: readonly LaneChange[],
  now: number,
): Promise<ReadonlyMap<number, LaneHead>> {
  const heads = changes.flatMap(({ due, head }) =>
    head === undefined ? [] : { ...head, due: due.delivery_id },
  );
  const made = await session.rows(
    sql<LaneHead>`
      update deliveries set
        head = ${sql.lit(HEAD)}, due_at = heads.due_at, asked_at = ${now},
        rate_until = coalesce(
          deliveries.rate_until, (select before.rate_until from deliveries as before where before.id = heads.due))
      from ${unnestOf('heads', heads, {
        id: ['bigint', ({ id }) => id],
        due: ['bigint', ({ due }) => due],
        due_at: ['bigint', ({ dueAt }) => dueAt],
      })}
      where deliveries.id = heads.id
      returning ${headColumns}`,
  );
  return new Map(made.map((head) => [head.delivery_id, head]));
}
