import type { Connection } from '../sql/connection.ts';
import { dueTime, type ClockJumps, type Wish } from './clock-jumps.ts';
import { prepare, type Named } from '../sql/statement.ts';

/** A lane: a handler's, and which of them. */
export interface LaneKey {
  readonly handler: string;
  readonly lane: number;
}

/** The first unfinished delivery of a lane. */
export interface Head extends Wish {
  readonly id: number;
  readonly replay_id: number;
}

/**
 * What waits in lanes. Of a lane's unfinished deliveries either one is running
 * and none is head, or the first is head. To be called inside a transaction.
 */
export interface WaitingDeliveries {
  /** Whether anything of the lane is unfinished. */
  any(lane: LaneKey): boolean;
  first(lane: LaneKey): Head | undefined;
  /** Makes a delivery its lane's head: due when it wishes to be, or at once. */
  promote(head: Head, now: number): void;
  /** As `promote`, for a delivery that comes in front of those that wait, unless one of them is running. */
  putInFront(head: Head, lane: LaneKey, now: number): void;
}

export function createWaitingDeliveries(
  { database, query }: Connection,
  clockJumps: Pick<ClockJumps, 'note'>,
): WaitingDeliveries {
  const unfinished = (p: Named<LaneKey>) =>
    query
      .selectFrom('deliveries')
      .where('handler', '=', p.handler)
      .where('lane', '=', p.lane)
      .where('finished_at', 'is', null);
  const any = prepare(database, (p: Named<LaneKey>) => unfinished(p).select('id').limit(1));
  const first = prepare(database, (p: Named<LaneKey>) =>
    unfinished(p).select(['id', 'replay_id', 'due_at', 'asked_at']).orderBy('id').limit(1),
  );
  const second = prepare(database, (p: Named<LaneKey & { after: number }>) =>
    unfinished(p).select(['id', 'head', 'status']).where('id', '>', p.after).orderBy('id').limit(1),
  );
  const promote = prepare(database, (p: Named<{ id: number; dueAt: number; askedAt: number }>) =>
    query
      .updateTable('deliveries')
      .set({ head: 1, due_at: p.dueAt, asked_at: p.askedAt })
      .where('id', '=', p.id),
  );
  const demote = prepare(database, (p: Named<{ id: number }>) =>
    query.updateTable('deliveries').set({ head: 0 }).where('id', '=', p.id),
  );

  function makeHead(head: Head, now: number): void {
    const dueAt = dueTime(head, now);
    clockJumps.note(now);
    promote.run({ id: head.id, dueAt, askedAt: now });
  }

  return {
    any: (lane) => any.get(lane) !== undefined,
    first: (lane) => first.get(lane),
    promote: makeHead,
    putInFront(head, lane, now) {
      const former = second.get({ ...lane, after: head.id });
      // Were none the head, one further back would be running, and comes here when it ends.
      if (former?.head === 0) return;
      if (former !== undefined) demote.run({ id: former.id });
      makeHead(head, now);
    },
  };
}
