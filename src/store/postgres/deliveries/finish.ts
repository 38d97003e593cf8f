/** Ends attempts: complete, succeed, reschedule and release. */
import { sql, type RawBuilder } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { DeliveryEnd, LaneQueue } from '../../lane-queue.ts';
import { NO_HEAD } from '../../rows/deliveries/head-values.ts';
import type { FailureRows } from '../failures/failure-rows.ts';
import { commitMachine } from '../machines/commit-machine.ts';
import { unawaited, type Transaction } from '../database/connections/transaction.ts';
import { isAnyOf, unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { keepAttempts } from './attempts.ts';
import type { HeldDelivery } from './held-delivery.ts';
import {
  firstOf,
  lockLanesOf,
  proceed,
  makeHeadsOf,
  tryLockLanesOf,
  type LaneFront,
  type ProceedOptions,
  type Received,
} from './lanes.ts';
import type { PausedHeads } from './paused-heads.ts';

/** The delivery that was started behind one of a batch, and the index of that one. */
export type HeldFollowing = LaneFront & Received & { readonly holder: number };

interface FinishDeps {
  readonly paused: PausedHeads;
  readonly failures: FailureRows;
}

/** Ends a delivery in flight, as in `LaneQueue.complete`. */
export async function complete(
  transaction: Transaction,
  delivery: HeldDelivery,
  end: DeliveryEnd,
  options: Parameters<LaneQueue['complete']>[2],
  { paused, failures }: FinishDeps,
): Promise<HeldFollowing | null> {
  const { session } = transaction;
  const { id, handler, replayId } = delivery;
  const { now } = options;
  const machine = end.status === 'succeeded' ? end.machine : undefined;
  if (machine === undefined) unawaited(lockLanesOf(session, [delivery]));
  else {
    const event = await eventInFlight(session, delivery);
    await lockLanesOf(session, [delivery, { handler, lane: event.subjectId }]);
    await commitMachine(transaction, event.subjectId, machine, {
      now,
      replayed: { eventId: event.id, replayId },
    });
  }
  const lastError = end.status === 'succeeded' ? null : end.reason;
  const first = await endAll(transaction, [delivery], { status: end.status, lastError, now });
  if (end.status === 'dead') {
    const { reason, durationMs } = end;
    await keepAttempts(session, [{ id, outcome: 'dead', now, durationMs, dueAt: null, reason }]);
  }
  const [started] = await proceed(transaction, first, options, { holder: delivery.holder, paused });
  if (end.status === 'dead')
    await failures.failed(session, [{ id, handler, error: end.reason, dead: true, now }]);
  return started === undefined ? null : { ...started, holder: delivery.holder };
}

/** As `complete` one by one, in a few statements. */
export async function succeed(
  transaction: Transaction,
  deliveries: readonly HeldDelivery[],
  options: ProceedOptions,
  { paused }: Pick<FinishDeps, 'paused'>,
): Promise<readonly HeldFollowing[]> {
  const holder = deliveries[0]?.holder ?? 0;
  // The next statement travels behind it.
  unawaited(lockLanesOf(transaction.session, deliveries));
  const { now } = options;
  const first = await endAll(transaction, deliveries, { status: 'succeeded', lastError: null, now });
  const started = await proceed(transaction, first, options, { holder, paused });
  return started.map((row) => ({ ...row, holder }));
}

/** Reads the event of a delivery, which is in flight. */
async function eventInFlight(
  session: Session,
  { id, holder }: HeldDelivery,
): Promise<{ readonly id: number; readonly subjectId: number }> {
  const event = await session.first(
    sql<{ id: number; subjectId: number }>`
      select events.id, events.subject_id as "subjectId"
      from deliveries join events on events.id = deliveries.event_id
      where deliveries.id = ${id} and deliveries.status = 'running' and deliveries.holder = ${holder}`,
  );
  if (event === undefined) throw notInFlight([id]);
  return event;
}

/**
 * Ends deliveries of one handler and one replay, which their lanes' locks cover.
 *
 * {@link heldBy} keeps the planner from the index of held deliveries, in which those that have ended stay until they are
 * vacuumed.
 *
 * @returns the first unfinished deliveries of their lanes, without these
 * @throws PortariaError `invalid-argument` when one is not in flight under its lease
 */
async function endAll(
  { session, counts }: Transaction,
  deliveries: readonly HeldDelivery[],
  end: { readonly status: DeliveryEnd['status']; readonly lastError: string | null; readonly now: number },
): Promise<readonly LaneFront[]> {
  const [one] = deliveries;
  if (one === undefined) return [];
  const { status, lastError, now } = end;
  const ids = deliveries.map(({ id }) => id);
  const rows = await session.rows(
    sql<LaneFront & { ended: number }>`
      with ended as (
        update deliveries set
          status = ${status}, attempts = greatest(attempts, 1), last_error = ${lastError}, finished_at = ${now},
          holder = null
        where ${isAnyOf('id', ids, 'bigint')} and status = 'running' and ${heldBy(sql`${one.holder}`)}
        returning id
      )
      select (select count(*) from ended)::integer as ended, (lanes.at - 1)::integer as at, first.*
      from (select) as always
      left join (
        ${unnestOf('lanes', deliveries, {
          ended_id: ['bigint', ({ id }) => id],
          lane: ['bigint', ({ lane }) => lane],
          at: 'place',
        })}
        cross join lateral (
          ${firstOf(sql`${one.handler}`, sql`lanes.lane`, sql`deliveries.id <> lanes.ended_id`)}
        ) as first
      ) on true`,
  );
  if (rows[0]?.ended !== deliveries.length) throw notInFlight(ids);
  const { handler, replayId } = one;
  counts.deliveryMoved({ handler, replayId }, 'running', status, deliveries.length);
  // No following delivery is one row without any.
  return rows.filter((row) => (row.delivery_id as number | null) !== null);
}

/** Whether a delivery is held under a lease. The planner does not see that it excludes null, which its index does. */
function heldBy(holder: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`coalesce(deliveries.holder, -1) = ${holder}`;
}

/** Whether no other delivery of its lane is before a delivery: mostly so, unless an earlier one was retried. */
const isFirst = sql`(not exists (
  select from deliveries as earlier
  where earlier.handler = deliveries.handler and earlier.lane = deliveries.lane
    and earlier.finished_at is null and earlier.id < deliveries.id
))::integer`;

/** An attempt that failed, and when its delivery is due again. */
export interface FailedAttempt {
  readonly delivery: HeldDelivery;
  readonly failure: Parameters<LaneQueue['reschedule']>[1];
}

/**
 * As `LaneQueue.reschedule` one by one, in a few statements.
 *
 * @param options.waits whether to wait for lanes that another transaction has locked; otherwise they are left out
 * @param options.requireTimely called once all locks are held
 * @returns whether each attempt was recorded
 */
export async function reschedule(
  transaction: Transaction,
  attempts: readonly FailedAttempt[],
  {
    waits,
    requireTimely,
    failures,
  }: Pick<FinishDeps, 'failures'> & { readonly waits: boolean; readonly requireTimely?: () => void },
): Promise<readonly boolean[]> {
  const { session, counts } = transaction;
  const deliveries = attempts.map(({ delivery }) => delivery);
  const isLocked = waits ? () => true : await tryLockLanesOf(session, deliveries);
  if (waits) await lockLanesOf(session, deliveries);
  requireTimely?.();
  const ended = attempts.filter(({ delivery }) => isLocked(delivery));
  if (ended.length === 0) return attempts.map(() => false);
  const changed = await session.rows(
    sql<{ handler: string; lane: number; head: number }>`
      update deliveries set
        status = 'pending', attempts = greatest(attempts, 1), last_error = failed.reason,
        due_at = greatest(failed.due_at, failed.now), asked_at = failed.now, holder = null, head = ${isFirst}
      from ${unnestOf('failed', ended, {
        id: ['bigint', ({ delivery }) => delivery.id],
        holder: ['bigint', ({ delivery }) => delivery.holder],
        reason: ['text', ({ failure }) => failure.reason],
        due_at: ['bigint', ({ failure }) => failure.dueAt],
        now: ['bigint', ({ failure }) => failure.now],
      })}
      where deliveries.id = failed.id and deliveries.status = 'running' and ${heldBy(sql`failed.holder`)}
      returning deliveries.handler, deliveries.lane, deliveries.head`,
  );
  if (changed.length !== ended.length) throw notInFlight(ended.map(({ delivery }) => delivery.id));
  for (const { delivery } of ended) counts.deliveryMoved(delivery, 'running', 'pending');
  await makeHeadsOf(
    transaction,
    changed.filter(({ head }) => head === NO_HEAD),
    Math.max(...ended.map(({ failure }) => failure.now)),
  );
  await keepAttempts(
    session,
    ended.map(({ delivery: { id }, failure: { now, dueAt, reason, durationMs } }) => {
      return { id, outcome: 'failed', now, dueAt, reason, durationMs };
    }),
  );
  await failures.failed(
    session,
    ended.map(({ delivery: { id, handler }, failure: { reason: error, now } }) => {
      return { id, handler, error, dead: false, now };
    }),
  );
  return attempts.map(({ delivery }) => isLocked(delivery));
}

/** As `LaneQueue.release`, in a few statements: a process that stops may have prefetched thousands of deliveries. */
export async function release(
  transaction: Transaction,
  deliveries: readonly HeldDelivery[],
  { dueAt, now }: { readonly dueAt: number; readonly now: number },
): Promise<void> {
  const { session, counts } = transaction;
  unawaited(lockLanesOf(session, deliveries));
  const released = await session.rows(
    sql<{ handler: string; lane: number; replayId: number; head: number }>`
      update deliveries set
        status = 'pending', attempts = greatest(attempts - 1, 0), due_at = ${Math.max(dueAt, now)}, asked_at = ${now},
        holder = null,
        head = ${isFirst}
      from ${unnestOf('held', deliveries, {
        id: ['bigint', ({ id }) => id],
        holder: ['bigint', ({ holder }) => holder],
      })}
      where deliveries.id = held.id and deliveries.status = 'running' and ${heldBy(sql`held.holder`)}
      returning deliveries.handler, deliveries.lane, deliveries.replay_id as "replayId", deliveries.head`,
  );
  for (const delivery of released) counts.deliveryMoved(delivery, 'running', 'pending');
  await makeHeadsOf(
    transaction,
    released.filter(({ head }) => head === NO_HEAD),
    now,
  );
}

function notInFlight(ids: readonly number[]): PortariaError {
  const [only, ...others] = ids;
  const what =
    others.length === 0
      ? `delivery d${String(only)} is not in flight`
      : `some of ${String(ids.length)} deliveries are not in flight`;
  return new PortariaError('invalid-argument', what);
}
