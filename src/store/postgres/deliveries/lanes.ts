import { sql, type RawBuilder } from 'kysely';
import type { StartedDelivery } from '../../rows/deliveries/claimed-delivery.ts';
import { dueTime, type RequestedWait } from '../../rows/deliveries/due-time.ts';
import { rowOf } from '../../rows/ids.ts';
import type { Transaction } from '../commit/write.ts';
import { unawaited } from '../database/transaction.ts';
import { arrayOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { lockLanes } from './lane-locks.ts';
import type { PausedHeads } from './paused-heads.ts';
import { receivedColumn, type Received } from './start.ts';

/** Identifies a lane: its handler, and its number among the handler's lanes. */
export interface LaneKey {
  readonly handler: string;
  readonly lane: number;
}

/** The first unfinished delivery of a lane. */
export interface FirstDelivery extends StartedDelivery, RequestedWait {
  readonly status: string;
  /** The index in the list of lanes, from 0. */
  readonly at: number;
}

/** Who gets a lane's following delivery, as in `LaneQueue.complete`. */
export interface ProceedOptions {
  readonly now: number;
  readonly next: boolean;
  readonly replay?: string;
}

/** The columns of a `StartedDelivery`, read before the delivery is started, with its wait. */
export const startedColumns: RawBuilder<unknown> = sql`
  deliveries.id as delivery_id, deliveries.handler, deliveries.lane, deliveries.effect, deliveries.effect_change,
  deliveries.late, deliveries.attempts + 1 as attempt, deliveries.replay_id, deliveries.event_id,
  deliveries.due_at, deliveries.asked_at`;

/** Locks the lanes of deliveries; see lane-locks.ts. */
export async function lockLanesOf(session: Session, lanes: readonly LaneKey[]): Promise<void> {
  await lockLanes(session, {
    subjects: lanes.flatMap(({ lane }) => (lane > 0 ? [lane] : [])),
    handlers: lanes.flatMap(({ handler, lane }) => (lane === 0 ? [handler] : [])),
  });
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
    select ${startedColumns}, deliveries.status from deliveries
    where deliveries.handler = ${handler} and deliveries.lane = ${lane} and deliveries.finished_at is null
      and ${condition}
    order by deliveries.id limit 1`;
}

/** Returns the first unfinished deliveries of lanes that have one. The lanes are locked. */
export function firstDeliveries(
  session: Session,
  lanes: readonly LaneKey[],
): Promise<readonly FirstDelivery[]> {
  return session.rows(
    sql<FirstDelivery>`
      select (lanes.at - 1)::integer as at, first.*
      from unnest(
        ${arrayOf(
          lanes.map(({ handler }) => handler),
          'text',
        )}, ${arrayOf(
          lanes.map(({ lane }) => lane),
          'bigint',
        )}) with ordinality as lanes (handler, lane, at)
      cross join lateral (${firstOf(sql`lanes.handler`, sql`lanes.lane`)}) as first`,
  );
}

/** Makes the first deliveries of lanes their heads. The lanes are locked. */
export async function makeHeads(
  session: Session,
  first: readonly FirstDelivery[],
  now: number,
): Promise<void> {
  const pending = first.filter(({ status }) => status === 'pending');
  if (pending.length === 0) return;
  await session.run(sql`
    update deliveries set head = 1, due_at = heads.due_at, asked_at = ${now}
    from unnest(${arrayOf(
      pending.map(({ delivery_id: id }) => id),
      'bigint',
    )}, ${arrayOf(
      pending.map((head) => dueTime(head, now)),
      'bigint',
    )}) as heads (id, due_at)
    where deliveries.id = heads.id and deliveries.status = 'pending'`);
}

/**
 * Continues lanes whose running delivery ended: starts those first deliveries that the options ask for and that are
 * due, makes the others heads, and returns those that were started. The lanes are locked.
 */
export async function proceed(
  { session, counts }: Transaction,
  first: readonly FirstDelivery[],
  { now, next, replay }: ProceedOptions,
  { holder, paused }: { readonly holder: number; readonly paused: PausedHeads },
): Promise<readonly (FirstDelivery & Received)[]> {
  const wanted = next
    ? first.filter(
        (head) =>
          head.status === 'pending' &&
          (replay === undefined || head.replay_id === rowOf('r', replay)) &&
          dueTime(head, now) <= now,
      )
    : [];
  const held = wanted.length === 0 ? new Set() : await paused.pausedOf(session, wanted, now);
  const started = wanted.filter(({ delivery_id: id }) => !held.has(id));
  const chosen = new Set(started);
  unawaited(
    makeHeads(
      session,
      first.filter((head) => !chosen.has(head)),
      now,
    ),
  );
  if (started.length === 0) return [];
  const rows = await session.rows(
    sql<Received & { id: number }>`
      update deliveries set
        status = 'running', head = 0, attempts = attempts + 1, due_at = null, asked_at = null, holder = ${holder}
      where id = any(${arrayOf(
        started.map(({ delivery_id: id }) => id),
        'bigint',
      )})
      returning id, ${receivedColumn}`,
  );
  const times = new Map(rows.map(({ id, received_at: at }) => [id, at]));
  return started.map((delivery) => {
    const { handler, replay_id: replayId, delivery_id: id } = delivery;
    counts.deliveryMoved({ handler, replayId }, 'pending', 'running');
    return { ...delivery, received_at: times.get(id) ?? 0 };
  });
}

/** Continues lanes for nobody: their first deliveries become heads. The lanes are locked. */
export async function proceedForNobody(
  { session }: Transaction,
  lanes: readonly LaneKey[],
  now: number,
): Promise<void> {
  if (lanes.length > 0) await makeHeads(session, await firstDeliveries(session, lanes), now);
}
