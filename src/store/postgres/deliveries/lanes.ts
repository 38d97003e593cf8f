/**
 * Keeps lanes in order: locks them, finds their first deliveries, makes heads, and starts the next one. The order of all
 * locks of the store is defined here, by {@link lockLanes}.
 */
import { sql, type RawBuilder } from 'kysely';
import type { QueuedDelivery } from '../../shared/deliveries/claimed-delivery.ts';
import { dueTime, type RequestedWait } from '../../shared/deliveries/due-time.ts';
import { HEAD, NO_HEAD } from '../../shared/deliveries/head-values.ts';
import type { LaneKey } from '../../shared/deliveries/lane-key.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { HANDLER_LANE_LOCK, tryLockNames } from '../sql/advisory-locks.ts';
import { isAnyOf, unnestOf, type Columns } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import type { PausedHeads } from './paused-heads.ts';

/** The first unfinished delivery of a lane. */
export interface LaneFront extends QueuedDelivery, RequestedWait {
  readonly status: string;
  /** The index in the list of lanes, from 0. */
  readonly at: number;
}

/** Who gets a lane's following delivery, as in `LaneQueue.complete`. */
export interface ProceedOptions {
  readonly now: number;
  readonly next: boolean;
}

/** What a statement returns that starts deliveries. */
export interface Started {
  /** The number of the start, as in `DeliveryKey`. */
  readonly start: number;
  /** When the event was received, which tells the partition of its content. */
  readonly received_at: number;
}

/** What a statement that starts deliveries sets. `counted`: how many attempts count now. */
export function startedBy(holder: number, counted: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    status = 'running', head = ${sql.lit(NO_HEAD)}, attempts = attempts + ${counted}, starts = starts + 1,
    due_at = null, asked_at = null, holder = ${holder}`;
}

/** What such a statement returns, for {@link withStarts}. */
export const startedColumns = sql`
  deliveries.id, deliveries.starts as start,
  (select received_at from events where events.id = deliveries.event_id) as received_at`;

/** Returns the deliveries that a statement has started, with what it returned. */
export function withStarts<D extends QueuedDelivery>(
  deliveries: readonly D[],
  started: readonly (Started & { readonly id: number })[],
): readonly (D & Started)[] {
  const byId = new Map(started.map(({ id, ...row }) => [id, row]));
  return deliveries.flatMap((delivery) => {
    const row = byId.get(delivery.delivery_id);
    return row === undefined ? [] : [{ ...delivery, ...row }];
  });
}

/** The columns of a `QueuedDelivery` with its wait. `attempt` is the next one: read them before the delivery is started. */
export const queuedColumns: RawBuilder<unknown> = sql`
  deliveries.id as delivery_id, deliveries.handler, deliveries.lane, deliveries.effect, deliveries.effect_change,
  deliveries.late, deliveries.attempts + 1 as attempt, deliveries.replay_id, deliveries.event_id,
  deliveries.due_at, deliveries.asked_at`;

/** Lanes to lock: those of subjects, and those of handlers that run one delivery at a time. */
export interface LockedLanes {
  /** Row numbers of subjects. */
  readonly subjects: readonly number[];
  readonly handlers: readonly string[];
}

/**
 * Locks lanes until the end of the transaction. A transaction holds the lock of a lane when it adds a delivery, ends one,
 * or changes which one is the head. Without it, a delivery could be added behind one that ends at the same moment, and
 * nobody would start it. A claim takes no lock of a lane: it only starts the head, which changes neither.
 *
 * All transactions lock in the same order, so that no two wait for each other: they insert new subjects, then lock
 * subjects by number, then handlers by name. A lane without order has one delivery, and needs no lock.
 */
export async function lockLanes(session: Session, { subjects, handlers }: LockedLanes): Promise<void> {
  const rows = [...new Set(subjects)].toSorted((one, other) => one - other);
  const names = [...new Set(handlers)].toSorted();
  // They are pipelined, and run one after the other.
  await Promise.all([
    rows.length > 0 &&
      session.run(sql`
        select id from subjects where ${isAnyOf('id', rows, 'bigint')} order by id for no key update`),
    names.length > 0 &&
      session.run(sql`
        select pg_advisory_xact_lock(${HANDLER_LANE_LOCK}, hashtext(name))
        from ${unnestOf('handlers', names, { name: ['text', (name) => name], place: 'place' })} order by place`),
  ]);
}

/** Locks the lanes of deliveries. */
export async function lockLanesOf(session: Session, lanes: readonly LaneKey[]): Promise<void> {
  await lockLanes(session, lockedLanes(lanes));
}

function lockedLanes(lanes: readonly LaneKey[]): LockedLanes {
  return {
    subjects: lanes.flatMap(({ lane }) => (lane > 0 ? [lane] : [])),
    handlers: lanes.flatMap(({ handler, lane }) => (lane === 0 ? [handler] : [])),
  };
}

/**
 * Locks those lanes of deliveries that no other transaction has locked.
 *
 * @returns whether this transaction holds the lock of a lane; of a lane without order, always
 */
async function tryLockLanesOf(
  session: Session,
  lanes: readonly LaneKey[],
): Promise<(lane: LaneKey) => boolean> {
  const wanted = lockedLanes(lanes);
  const [subjects, handlers] = await Promise.all([
    wanted.subjects.length === 0
      ? []
      : session.rows(sql<{ id: number }>`
          select id from subjects where ${isAnyOf('id', wanted.subjects, 'bigint')}
          for no key update skip locked`),
    tryLockNames(session, HANDLER_LANE_LOCK, wanted.handlers),
  ]);
  const lockedSubjects = new Set(subjects.map(({ id }) => id));
  return ({ handler, lane }) => lane < 0 || (lane === 0 ? handlers.has(handler) : lockedSubjects.has(lane));
}

/**
 * Locks the lanes and rows of deliveries, and returns those of which it got both. It locks rows, too, because an erasure
 * locks rows without their lanes.
 */
export async function tryLockDeliveries<D extends LaneKey & { readonly id: number }>(
  session: Session,
  deliveries: readonly D[],
): Promise<readonly D[]> {
  const isLaneFree = await tryLockLanesOf(session, deliveries);
  const free = deliveries.filter(isLaneFree);
  if (free.length === 0) return [];
  const ids = free.map(({ id }) => id);
  const rows = await session.rows(sql<{ id: number }>`
    select id from deliveries where ${isAnyOf('id', ids, 'bigint')} for no key update skip locked`);
  const locked = new Set(rows.map(({ id }) => id));
  return free.filter(({ id }) => locked.has(id));
}

/**
 * The expression for the first unfinished delivery of a lane: a subquery for `lateral`.
 *
 * @param condition a further one
 */
export function firstOf(
  handler: RawBuilder<unknown>,
  lane: RawBuilder<unknown>,
  condition: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  return sql`
    select ${queuedColumns}, deliveries.status from deliveries
    where deliveries.handler = ${handler} and deliveries.lane = ${lane} and deliveries.finished_at is null
      and ${condition}
    order by deliveries.id limit 1`;
}

/** Whether no other delivery of its lane is before a delivery: mostly so, unless an earlier one was retried. */
export const isFirst = sql`(not exists (
  select from deliveries as earlier
  where earlier.handler = deliveries.handler and earlier.lane = deliveries.lane
    and earlier.finished_at is null and earlier.id < deliveries.id
))::integer`;

/** The columns of a {@link LaneKey}. */
export const laneColumns: Columns<LaneKey> = {
  handler: ['text', ({ handler }) => handler],
  lane: ['bigint', ({ lane }) => lane],
};

/** Returns the first unfinished deliveries of lanes that have one. The lanes are locked. */
export function firstDeliveries(session: Session, lanes: readonly LaneKey[]): Promise<readonly LaneFront[]> {
  return session.rows(
    sql<LaneFront>`
      select (lanes.at - 1)::integer as at, first.*
      from ${unnestOf('lanes', lanes, { ...laneColumns, at: 'place' })}
      cross join lateral (${firstOf(sql`lanes.handler`, sql`lanes.lane`)}) as first`,
  );
}

/** Makes the first deliveries of lanes their heads. The lanes are locked. */
export async function makeHeads(session: Session, first: readonly LaneFront[], now: number): Promise<void> {
  const pending = first.filter(({ status }) => status === 'pending');
  if (pending.length === 0) return;
  await session.run(sql`
    update deliveries set head = ${sql.lit(HEAD)}, due_at = heads.due_at, asked_at = ${now}
    from ${unnestOf('heads', pending, {
      id: ['bigint', ({ delivery_id: id }) => id],
      due_at: ['bigint', (head) => dueTime(head, now)],
    })}
    where deliveries.id = heads.id and deliveries.status = 'pending'`);
}

/**
 * Continues lanes whose running delivery ended: starts those first deliveries that the options ask for and that are
 * due, makes the others heads, and returns those that were started. The lanes are locked.
 */
export async function proceed(
  { session, counts, unawaited }: Transaction,
  first: readonly LaneFront[],
  { now, next }: ProceedOptions,
  { holder, paused }: { readonly holder: number; readonly paused: PausedHeads },
): Promise<readonly (LaneFront & Started)[]> {
  const wanted = next ? first.filter((head) => head.status === 'pending' && dueTime(head, now) <= now) : [];
  const pausedIds = wanted.length === 0 ? new Set() : await paused.pausedOf(session, wanted, now);
  const started = wanted.filter(({ delivery_id: id }) => !pausedIds.has(id));
  const chosen = new Set(started);
  unawaited(
    makeHeads(
      session,
      first.filter((head) => !chosen.has(head)),
      now,
    ),
  );
  if (started.length === 0) return [];
  const ids = started.map(({ delivery_id: id }) => id);
  const rows = await session.rows(
    sql<Started & { id: number }>`
      update deliveries set ${startedBy(holder, sql`1`)}
      where ${isAnyOf('id', ids, 'bigint')}
      returning ${startedColumns}`,
  );
  const running = withStarts(started, rows);
  for (const { handler, replay_id: replayId } of running)
    counts.deliveryMoved({ handler, replayId }, 'pending', 'running');
  return running;
}

/** Makes the first deliveries of lanes their heads, starting none. The lanes are locked. */
export async function makeHeadsOf(
  { session }: Transaction,
  lanes: readonly LaneKey[],
  now: number,
): Promise<void> {
  if (lanes.length > 0) await makeHeads(session, await firstDeliveries(session, lanes), now);
}
