/**
 * Ends attempts: complete, succeed, reschedule and release. Each ends the delivery before it continues the lane, because
 * a lane has one running delivery or one head (see lanes.ts). It runs in the writing thread: no `await`.
 */
import { sql } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { DeliveryEnd, LaneQueue, ReleaseOptions } from '../../lane-queue.ts';
import type { FailureRows } from '../failures/failure-rows.ts';
import type { CommitMachine } from '../machines/commit-machine.ts';
import type { DeliveryClass } from '../../shared/statistics/count-classes.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import type { Connection } from '../sql/connection.ts';
import { valuesOf } from '../sql/expressions.ts';
import { perform } from '../sql/perform.ts';
import type { InFlightDelivery, QueuedDelivery } from '../../shared/deliveries/claimed-delivery.ts';
import { NO_HEAD } from '../../shared/deliveries/head-values.ts';
import { holdLane } from '../../shared/pauses/pauses.ts';
import { prepare, type Named } from '../sql/statement.ts';
import type { KeepAttempt } from './attempts.ts';
import type { ClockJumps } from './clock-jumps.ts';
import type { Lanes, ProceedOptions } from './lanes.ts';
import type { PausedHeads } from './paused-heads.ts';

/** Deliveries of one handler that succeeded and leave nothing else to store. */
export interface SucceededBatch extends DeliveryClass {
  /** The row numbers: a JSON array, which SQLite reads as it is. */
  readonly ids: string;
  /** The lanes in the same order, all different: a JSON array. */
  readonly lanes: string;
  readonly count: number;
}

/** The delivery that was started behind one of a batch, and the index of that one. */
export interface StartedFollowing {
  readonly at: number;
  readonly started: QueuedDelivery;
}

/** Ends attempts of deliveries in flight, as in `LaneQueue`. Called inside a transaction. */
export interface FinishDeliveries {
  complete(
    delivery: InFlightDelivery,
    end: DeliveryEnd,
    options: Parameters<LaneQueue['complete']>[2],
  ): QueuedDelivery | null;
  succeed(batch: SucceededBatch, options: ProceedOptions): readonly StartedFollowing[];
  reschedule(delivery: InFlightDelivery, failure: Parameters<LaneQueue['reschedule']>[1]): void;
  /** @param ids the row numbers: a JSON array, which SQLite reads as it is */
  release(ids: string, options: ReleaseOptions): void;
}

interface Deps {
  readonly lanes: Pick<Lanes, 'proceed'>;
  readonly paused: Pick<PausedHeads, 'changed'>;
  readonly counts: Pick<RowCounts, 'deliveryMoved'>;
  readonly clockJumps: Pick<ClockJumps, 'note'>;
  readonly commitMachine: CommitMachine;
  readonly keepAttempt: KeepAttempt;
  readonly failures: Pick<FailureRows, 'failed'>;
}

/** The attempts including this one: a prefetched delivery has not counted its first attempt yet. */
const attemptsCounted = sql<number>`max(attempts, 1)`;

/** The attempts without this one. */
const attemptsBefore = sql<number>`max(attempts - 1, 0)`;

export function createFinishDeliveries(connection: Connection, deps: Deps): FinishDeliveries {
  return {
    ...createFinishOne(connection, deps),
    succeed: createSucceed(connection, deps),
    release: createRelease(connection, deps),
  };
}

function createFinishOne(
  connection: Connection,
  { lanes, paused, counts, commitMachine, keepAttempt, failures }: Deps,
): Pick<FinishDeliveries, 'complete' | 'reschedule'> {
  const { database, query } = connection;
  const eventOf = prepare(database, (p: Named<{ id: number }>) =>
    query
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .select(['events.id', 'events.subject_id'])
      .where('deliveries.id', '=', p.id)
      .where('deliveries.status', '=', 'running'),
  );
  const finish = prepare(
    database,
    (p: Named<{ id: number; status: string; lastError: string | null; now: number }>) =>
      query
        .updateTable('deliveries')
        .set({ status: p.status, attempts: attemptsCounted, last_error: p.lastError, finished_at: p.now })
        .where('id', '=', p.id)
        .where('status', '=', 'running'),
  );
  const reschedule = prepare(
    database,
    (p: Named<{ id: number; lastError: string; dueAt: number; now: number }>) =>
      query
        .updateTable('deliveries')
        .set({
          status: 'pending',
          attempts: attemptsCounted,
          last_error: p.lastError,
          due_at: p.dueAt,
          asked_at: p.now,
        })
        .where('id', '=', p.id)
        .where('status', '=', 'running'),
  );

  function storeMachine(
    { id, replayId }: InFlightDelivery,
    commit: Parameters<CommitMachine>[1],
    now: number,
  ) {
    const event = eventOf.get({ id });
    if (event === undefined) throw notInFlight(id);
    commitMachine(event.subject_id, commit, { now, replayed: { eventId: event.id, replayId } });
  }

  return {
    complete(delivery, end, options) {
      const { id } = delivery;
      const { now } = options;
      if (end.status === 'succeeded' && end.machine !== undefined) storeMachine(delivery, end.machine, now);
      const lastError = end.status === 'succeeded' ? null : end.reason;
      if (finish.run({ id, status: end.status, lastError, now }).changes === 0) throw notInFlight(id);
      if (end.status === 'dead')
        failures.failed({ id, handler: delivery.handler, error: end.reason, dead: true, now });
      counts.deliveryMoved(delivery, 'running', end.status);
      if (end.status === 'dead')
        keepAttempt({
          id,
          outcome: 'dead',
          now,
          durationMs: end.durationMs,
          dueAt: null,
          reason: end.reason,
        });
      if (end.status !== 'dead' || end.hold !== true) return lanes.proceed(delivery, options);
      perform(connection, holdLane(id, now));
      paused.changed();
      return lanes.proceed(delivery, { now, next: false });
    },
    reschedule(delivery, { now, dueAt, reason, durationMs, outcome = 'failed' }) {
      const { id } = delivery;
      if (reschedule.run({ id, lastError: reason, dueAt, now }).changes === 0) throw notInFlight(id);
      failures.failed({ id, handler: delivery.handler, error: reason, dead: false, now });
      counts.deliveryMoved(delivery, 'running', 'pending');
      keepAttempt({ id, outcome, now, durationMs, dueAt, reason });
      lanes.proceed(delivery, { now, next: false });
    },
  };
}

/** As `complete` one by one, in a few statements. */
function createSucceed(
  { database, query }: Connection,
  { lanes: laneOrder, counts }: Deps,
): FinishDeliveries['succeed'] {
  const finish = prepare(database, (p: Named<{ ids: string; now: number }>) =>
    query
      .updateTable('deliveries')
      .set({ status: 'succeeded', attempts: attemptsCounted, last_error: null, finished_at: p.now })
      .where('id', 'in', valuesOf<number>(p.ids))
      .where('status', '=', 'running'),
  );
  const unfinishedLanes = prepare(database, (p: Named<{ handler: string; lanes: string }>) =>
    query
      .selectFrom(sql<{ key: number; value: number }>`json_each(${p.lanes})`.as('lanes'))
      .select(['lanes.key as at', 'lanes.value as lane'])
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('deliveries')
            .select('deliveries.id')
            .where('deliveries.handler', '=', p.handler)
            .whereRef('deliveries.lane', '=', 'lanes.value')
            .where('deliveries.finished_at', 'is', null),
        ),
      ),
  );

  return ({ ids, lanes, count, ...deliveryClass }, options) => {
    if (finish.run({ ids, now: options.now }).changes < count) {
      throw new PortariaError('invalid-argument', `some of ${String(count)} deliveries are not in flight`);
    }
    counts.deliveryMoved(deliveryClass, 'running', 'succeeded', count);
    const { handler } = deliveryClass;
    return unfinishedLanes.all({ handler, lanes }).flatMap(({ at, lane }) => {
      const started = laneOrder.proceed({ handler, lane }, options);
      return started === null ? [] : [{ at, started }];
    });
  };
}

/** One statement for all: a process that stops may have prefetched thousands of deliveries. */
function createRelease(
  { database, query, clock }: Connection,
  { lanes, counts, clockJumps }: Deps,
): FinishDeliveries['release'] {
  const release = prepare(database, (p: Named<{ ids: string; dueAt: number; now: number; byRate: number }>) =>
    query
      .updateTable('deliveries')
      .set((eb) => ({
        status: 'pending',
        attempts: attemptsBefore,
        // The lane had no head while this one ran. It is the first, unless an earlier one was retried.
        head: sql<number>`not ${eb.exists(
          eb
            .selectFrom('deliveries as earlier')
            .select('earlier.id')
            .whereRef('earlier.handler', '=', 'deliveries.handler')
            .whereRef('earlier.lane', '=', 'deliveries.lane')
            .where('earlier.finished_at', 'is', null)
            .whereRef('earlier.id', '<', 'deliveries.id'),
        )}`,
        due_at: p.dueAt,
        asked_at: p.now,
        rate_until: sql<number | null>`iif(${p.byRate}, ${p.dueAt}, rate_until)`,
      }))
      .where('id', 'in', valuesOf<number>(p.ids))
      .where('status', '=', 'running')
      .returning(['handler', 'lane', 'replay_id as replayId', 'head']),
  );

  return (ids, { dueAt, byRate = false }) => {
    const now = clock.now();
    const released = release.all({ ids, dueAt: Math.max(dueAt, now), now, byRate: byRate ? 1 : 0 });
    if (released.length > 0) clockJumps.note(now);
    for (const delivery of released) {
      counts.deliveryMoved(delivery, 'running', 'pending');
      if (delivery.head === NO_HEAD) lanes.proceed(delivery, { now, next: false });
    }
  };
}

function notInFlight(id: number): PortariaError {
  return new PortariaError('invalid-argument', `delivery d${String(id)} is not in flight`);
}
