/**
 * Ends deliveries in flight: complete, succeed and release.
 *
 * Lanes are locked first, then deliveries end, then the next one of each lane starts or becomes head: between the lock
 * and that, nothing may be added to the lane. Every statement on a delivery asks whether the run is still this one
 * (`isRunOf`), because another process may have taken it over.
 */
import { sql } from 'kysely';
import type { DeliveryEnd, LaneQueue, ReleaseOptions } from '../../lane-queue.ts';
import { NO_HEAD } from '../../shared/deliveries/head-values.ts';
import { holdLane } from '../../shared/pauses/pauses.ts';
import { failureOf, type FailureRows } from '../failures/failure-rows.ts';
import { commitMachine } from '../machines/commit-machine.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { unnestOf } from '../sql/expressions.ts';
import { perform } from '../sql/perform.ts';
import type { Session } from '../sql/session.ts';
import { keepAttempts } from './attempts.ts';
import { isRunOf, notInFlight, runsOfDeliveries, type OwnedDelivery } from './owned-delivery.ts';
import {
  firstOf,
  isFirst,
  lockLanesOf,
  proceed,
  makeHeadsOf,
  type LaneFront,
  type ProceedOptions,
  type Started,
} from './lanes.ts';
import type { PausedHeads } from './paused-heads.ts';

/** The next delivery of a lane, started when the one before it ended. `at` is the index of the ended one. */
export type StartedFollowing = LaneFront & Started & { readonly holder: number };

interface FinishDeps {
  readonly paused: PausedHeads;
  readonly failures: FailureRows;
}

/** Ends a delivery in flight, as in `LaneQueue.complete`. Returns its following one, if it was started. */
export async function complete(
  transaction: Transaction,
  delivery: OwnedDelivery,
  end: DeliveryEnd,
  options: Parameters<LaneQueue['complete']>[2],
  { paused, failures }: FinishDeps,
): Promise<readonly StartedFollowing[]> {
  const { session } = transaction;
  const { id, handler, replayId } = delivery;
  const { now } = options;
  const machine = end.status === 'succeeded' ? end.machine : undefined;
  if (machine === undefined) transaction.unawaited(lockLanesOf(session, [delivery]));
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
  const { holder } = delivery;
  const isHeld = end.status === 'dead' && end.hold === true;
  const started = await proceed(
    transaction,
    first,
    { now, next: options.next && !isHeld },
    { holder, paused },
  );
  if (end.status === 'dead')
    await failures.failed(session, [failureOf({ id, handler, error: end.reason, dead: true, now })]);
  if (isHeld) await perform(transaction, holdLane(id, now));
  return started.map((row) => ({ ...row, holder }));
}

/** As `complete` one by one, in a few statements. */
export async function succeed(
  transaction: Transaction,
  deliveries: readonly OwnedDelivery[],
  options: ProceedOptions,
  { paused }: Pick<FinishDeps, 'paused'>,
): Promise<readonly StartedFollowing[]> {
  const holder = deliveries[0]?.holder ?? 0;
  // Pipelined with the next statement.
  transaction.unawaited(lockLanesOf(transaction.session, deliveries));
  const { now } = options;
  const first = await endAll(transaction, deliveries, { status: 'succeeded', lastError: null, now });
  const started = await proceed(transaction, first, options, { holder, paused });
  return started.map((row) => ({ ...row, holder }));
}

/** Reads the event of a delivery, which is in flight. */
async function eventInFlight(
  session: Session,
  delivery: OwnedDelivery,
): Promise<{ readonly id: number; readonly subjectId: number }> {
  const event = await session.first(
    sql<{ id: number; subjectId: number }>`
      select events.id, events.subject_id as "subjectId"
      from ${unnestOf('run', [delivery], runsOfDeliveries)} join deliveries on ${isRunOf('run')}
      join events on events.id = deliveries.event_id`,
  );
  if (event === undefined) throw notInFlight([delivery.id]);
  return event;
}

/**
 * Ends deliveries of one handler and one replay, which their lanes' locks cover.
 *
 * @returns the first unfinished deliveries of their lanes, without these
 * @throws PortariaError `invalid-argument` when one is not in flight under its lease
 */
async function endAll(
  { session, counts }: Transaction,
  deliveries: readonly OwnedDelivery[],
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
        from ${unnestOf('run', deliveries, runsOfDeliveries)} where ${isRunOf('run')}
        returning deliveries.id
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

/** As `LaneQueue.release`, in a few statements: a process that stops may have prefetched thousands of deliveries. */
export async function release(
  transaction: Transaction,
  deliveries: readonly OwnedDelivery[],
  { dueAt, byRate = false, now }: ReleaseOptions & { readonly now: number },
): Promise<void> {
  const { session, counts } = transaction;
  transaction.unawaited(lockLanesOf(session, deliveries));
  const released = await session.rows(
    sql<{ handler: string; lane: number; replayId: number; head: number }>`
      update deliveries set
        status = 'pending', attempts = greatest(attempts - 1, 0), due_at = ${Math.max(dueAt, now)}, asked_at = ${now},
        holder = null, ${byRate ? sql`rate_until = ${Math.max(dueAt, now)},` : sql``}
        head = ${isFirst}
      from ${unnestOf('run', deliveries, runsOfDeliveries)} where ${isRunOf('run')}
      returning deliveries.handler, deliveries.lane, deliveries.replay_id as "replayId", deliveries.head`,
  );
  for (const delivery of released) counts.deliveryMoved(delivery, 'running', 'pending');
  await makeHeadsOf(
    transaction,
    released.filter(({ head }) => head === NO_HEAD),
    now,
  );
}
