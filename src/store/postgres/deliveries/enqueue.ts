/**
 * Stores deliveries at the ends of their lanes.
 *
 * The caller has locked the lanes (`lockLanes`) and takes no other lock of a lane afterwards. Which lanes have unfinished
 * deliveries is read under these locks and before the insert. How the rows are built and grouped may change freely.
 */
import { sql } from 'kysely';
import type { LaneOrder } from '../../route.ts';
import { HEAD, NO_HEAD } from '../../shared/deliveries/head-values.ts';
import { laneKey, laneOf } from '../../shared/deliveries/lane-key.ts';
import type { NewDelivery } from '../../shared/deliveries/new-delivery.ts';
import { insertOf, isAnyOf, sequenceOf, unnestOf } from '../sql/expressions.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import type { Session } from '../sql/session.ts';
import { laneColumns } from './lanes.ts';

/**
 * Stores deliveries at the ends of their lanes, in the given order. A delivery of the same event, handler, effect and
 * replay is not stored again. The caller has locked the lanes (see lanes.ts), which covers reading what waits.
 *
 * @returns for each delivery whether it waits in its lane: false when skipped or stored before
 */
export async function enqueue(
  { session, counts }: Transaction,
  deliveries: readonly NewDelivery[],
  now: number,
): Promise<readonly boolean[]> {
  if (deliveries.length === 0) return [];
  const ids = await drawIds(session, deliveries.length);
  const rows = deliveries.map((delivery, index) => {
    const id = ids[index] ?? 0;
    return { ...delivery, id, lane: laneOf(delivery.order, delivery.subjectId, id) };
  });
  const occupied = await occupiedLanes(
    session,
    rows.filter(({ skip }) => skip === undefined),
  );
  const inserted = await insert(session, rows, now);
  const added = rows.filter(({ id }) => inserted.has(id));
  const heads: number[] = [];
  for (const { id, handler, lane, replayId, skip } of added) {
    counts.deliveryStored({ handler, replayId }, skip === undefined ? 'pending' : 'skipped');
    if (skip !== undefined) continue;
    const key = laneKey(handler, lane);
    if (!occupied.has(key)) heads.push(id);
    occupied.add(key);
  }
  if (heads.length > 0)
    await session.run(sql`
      update deliveries set head = ${sql.lit(HEAD)}, due_at = ${now}, asked_at = ${now}
      where ${isAnyOf('id', heads, 'bigint')}`);
  return rows.map(({ id, skip }) => inserted.has(id) && skip === undefined);
}

type Row = NewDelivery & { readonly id: number; readonly lane: number };

async function drawIds(session: Session, count: number): Promise<readonly number[]> {
  const drawn = await session.rows(
    sql<{ id: number }>`
      select nextval(${sequenceOf('deliveries')}) as id from generate_series(1, ${count})`,
  );
  return drawn.map(({ id }) => id);
}

/** A lane, and how it orders its deliveries. */
export interface OrderedLane {
  readonly handler: string;
  readonly order: LaneOrder;
  readonly lane: number;
}

/**
 * Returns the keys of the lanes in which a delivery waits or runs. Each is looked up by itself: a join would read the
 * whole backlog, when the planner has counted it as short.
 */
export async function occupiedLanes(session: Session, lanes: readonly OrderedLane[]): Promise<Set<string>> {
  const ordered = lanes.filter(({ order }) => order !== 'none');
  if (ordered.length === 0) return new Set();
  const found = await session.rows(
    sql<{ handler: string; lane: number }>`
      select lanes.handler, lanes.lane
      from ${unnestOf('lanes', ordered, laneColumns)}
      cross join lateral (
        select from deliveries
        where deliveries.handler = lanes.handler and deliveries.lane = lanes.lane and finished_at is null
        order by deliveries.handler, deliveries.lane, deliveries.id limit 1
      ) as first`,
  );
  return new Set(found.map(({ handler, lane }) => laneKey(handler, lane)));
}

/** Returns the numbers of the rows that were not stored before. */
async function insert(session: Session, rows: readonly Row[], now: number): Promise<Set<number>> {
  const inserted = await session.rows(
    sql<{ id: number }>`
      ${insertOf('deliveries', rows, {
        id: ['bigint', ({ id }) => id],
        event_id: ['bigint', ({ eventId }) => eventId],
        handler: ['text', ({ handler }) => handler],
        effect: ['text', ({ effect }) => effect?.name ?? ''],
        effect_change: [
          'text',
          ({ effect }) => (effect === undefined ? null : JSON.stringify(effect.change)),
        ],
        late: ['smallint', ({ effect }) => (effect?.late === true ? 1 : 0)],
        replay_id: ['bigint', ({ replayId }) => replayId],
        lane_order: ['text', ({ order }) => order],
        lane: ['bigint', ({ lane }) => lane],
        status: ['text', ({ skip }) => (skip === undefined ? 'pending' : 'skipped')],
        last_error: ['text', ({ skip }) => skip ?? null],
        finished_at: ['bigint', ({ skip }) => (skip === undefined ? null : now)],
      })}
      on conflict (event_id, handler, effect, replay_id) do nothing
      returning id`,
  );
  return new Set(inserted.map(({ id }) => id));
}

/** The delivery of an event that was just stored. */
export interface NewEventDelivery {
  readonly eventId: number;
  readonly subjectId: number;
  readonly handler: string;
  readonly order: LaneOrder;
  /** The reason to store it as skipped. */
  readonly skip: string | null;
}

/**
 * Stores the deliveries of new events at the ends of their lanes, in the given order, as heads where the lane is empty.
 * The caller has locked the lanes.
 *
 * @param options.occupied the keys of the lanes in which a delivery waits or runs
 */
export async function enqueueFirst(
  { session, counts }: Transaction,
  deliveries: readonly NewEventDelivery[],
  { now, occupied }: { readonly now: number; readonly occupied: ReadonlySet<string> },
): Promise<void> {
  if (deliveries.length === 0) return;
  const taken = new Set(occupied);
  const rows = deliveries.map((delivery) => {
    const { handler, order, subjectId, skip } = delivery;
    counts.deliveryStored({ handler, replayId: 0 }, skip === null ? 'pending' : 'skipped');
    const lane = laneOf(order, subjectId, 0);
    const key = laneKey(handler, lane);
    const isHead = skip === null && (order === 'none' || !taken.has(key));
    if (isHead) taken.add(key);
    return { ...delivery, lane, head: isHead ? HEAD : NO_HEAD };
  });
  // A lane without order is named by its delivery, whose number is drawn here.
  await session.run(sql`
    insert into deliveries (
      id, event_id, handler, lane_order, lane, status, last_error, finished_at, head, due_at, asked_at
    )
    select id, event_id, handler, lane_order, case lane_order when 'none' then -id else lane end,
      case when skip is null then 'pending' else 'skipped' end, skip, case when skip is null then null else ${now}::bigint end,
      head, case head when ${sql.lit(HEAD)} then ${now}::bigint end, case head when ${sql.lit(HEAD)} then ${now}::bigint end
    from (
      select nextval(${sequenceOf('deliveries')}) as id, first.*
      from ${unnestOf('first', rows, {
        event_id: ['bigint', ({ eventId }) => eventId],
        handler: ['text', ({ handler }) => handler],
        lane_order: ['text', ({ order }) => order],
        lane: ['bigint', ({ lane }) => lane],
        skip: ['text', ({ skip }) => skip],
        head: ['smallint', ({ head }) => head],
      })}
      offset 0
    ) as numbered`);
}
