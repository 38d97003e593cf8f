/**
 * Keeps lanes in order: finds their first deliveries, makes heads, and starts the next one.
 *
 * It runs in the writing thread and inside a transaction, so no lane needs a lock. What must stay: of a lane's unfinished
 * deliveries one is running, or the first is head. The statements may change as long as they read by the index of lanes.
 */
import { sql, type RawBuilder } from 'kysely';
import type { LaneOrder } from '../../route.ts';
import type { Connection } from '../sql/connection.ts';
import type { QueuedDelivery } from '../../shared/deliveries/claimed-delivery.ts';
import { dueTime, type RequestedWait } from '../../shared/deliveries/due-time.ts';
import { HEAD, NO_HEAD } from '../../shared/deliveries/head-values.ts';
import type { LaneKey } from '../../shared/deliveries/lane-key.ts';
import { prepare, type Named } from '../sql/statement.ts';
import type { PausedHeads } from './paused-heads.ts';
import type { ClockJumps } from './clock-jumps.ts';
import type { StartDeliveries } from './start.ts';

/** `laneOf` in SQL, for a delivery that is selected from `events`. */
export function laneInSql(order: RawBuilder<LaneOrder>, id: RawBuilder<number>): RawBuilder<number> {
  return sql`case ${order} when 'subject' then events.subject_id when 'handler' then 0 else -(${id}) end`;
}

/** The first unfinished delivery of a lane. */
export interface LaneFront extends RequestedWait {
  readonly id: number;
  readonly event_id: number;
}

/** Whether the lane's next delivery starts at once; see `LaneQueue.complete`. */
export interface ProceedOptions {
  readonly now: number;
  readonly next: boolean;
}

/**
 * The order of deliveries within lanes. Of a lane's unfinished deliveries,
 * either one is running and none is head, or the first is head, parked
 * (paused-heads.ts) or not. Called inside a transaction.
 */
export interface Lanes {
  hasUnfinished(lane: LaneKey): boolean;
  first(lane: LaneKey): LaneFront | undefined;
  /** Makes the first delivery of a lane its head. */
  makeHead(first: LaneFront, now: number): void;
  /** Makes a delivery head that was put before all others of its lane, unless one of them is running. */
  putFirst(first: LaneFront, lane: LaneKey, now: number): void;
  /**
   * Continues a lane whose running delivery ended: starts the first one if the
   * options ask for it and it is due, else makes it head.
   */
  proceed(lane: LaneKey, options: ProceedOptions): QueuedDelivery | null;
}

interface Deps {
  readonly start: StartDeliveries;
  readonly clockJumps: Pick<ClockJumps, 'note'>;
  readonly paused: Pick<PausedHeads, 'isPaused'>;
}

export function createLanes({ database, query }: Connection, { start, clockJumps, paused }: Deps): Lanes {
  const unfinished = (p: Named<LaneKey>) =>
    query
      .selectFrom('deliveries')
      .where('handler', '=', p.handler)
      .where('lane', '=', p.lane)
      .where('finished_at', 'is', null);
  const any = prepare(database, (p: Named<LaneKey>) => unfinished(p).select('id').limit(1));
  const first = prepare(database, (p: Named<LaneKey>) =>
    unfinished(p).select(['id', 'event_id', 'due_at', 'asked_at']).orderBy('id').limit(1),
  );
  const former = prepare(database, (p: Named<LaneKey & { after: number }>) =>
    unfinished(p)
      .select(['id', 'head'])
      .where('id', '>', p.after)
      .where((eb) => eb.or([eb('head', '<>', sql.lit(NO_HEAD)), eb('status', '=', 'running')]))
      .orderBy('id')
      .limit(1),
  );
  const promote = prepare(database, (p: Named<{ id: number; dueAt: number; askedAt: number }>) =>
    query
      .updateTable('deliveries')
      .set({ head: HEAD, due_at: p.dueAt, asked_at: p.askedAt })
      .where('id', '=', p.id),
  );
  const demote = prepare(database, (p: Named<{ id: number }>) =>
    query.updateTable('deliveries').set({ head: NO_HEAD }).where('id', '=', p.id),
  );

  function makeHead(head: LaneFront, now: number): void {
    clockJumps.note(now);
    promote.run({ id: head.id, dueAt: dueTime(head, now), askedAt: now });
  }

  return {
    hasUnfinished: (lane) => any.get(lane) !== undefined,
    first: (lane) => first.get(lane),
    makeHead,
    putFirst(head, lane, now) {
      const other = former.get({ ...lane, after: head.id });
      // Another delivery is running; the lane proceeds to this one when that ends.
      if (other?.head === NO_HEAD) return;
      if (other !== undefined) demote.run({ id: other.id });
      makeHead(head, now);
    },
    proceed(lane, { now, next }) {
      const head = first.get(lane);
      if (head === undefined) return null;
      const mayStart = next && dueTime(head, now) <= now;
      if (mayStart && !paused.isPaused({ ...lane, event_id: head.event_id }, now)) return start.one(head.id);
      makeHead(head, now);
      return null;
    },
  };
}
