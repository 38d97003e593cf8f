import { PortariaError } from '../../kernel/errors.ts';
import type { ClaimedDelivery, DeliveryEnd, LaneQueue } from '../lane-queue.ts';
import { dueTime } from './clock-jumps.ts';
import type { Connection } from './connection.ts';
import { rowOf } from './ids.ts';
import type { LaneRows } from './lane-rows.ts';
import type { CommitMachine } from './commit-machine.ts';
import { prepare, type Named } from './statement.ts';
import type { WaitingDeliveries } from './waiting-deliveries.ts';

/** What can become of a claimed delivery. To be called inside a transaction. */
export interface HeldDeliveries {
  advance(
    delivery: ClaimedDelivery,
    end: DeliveryEnd,
    options: Parameters<LaneQueue['advance']>[2],
  ): ClaimedDelivery | null;
  postpone(delivery: ClaimedDelivery, failure: Parameters<LaneQueue['postpone']>[1]): void;
  handBack(delivery: ClaimedDelivery, options: { readonly dueAt: number }): void;
}

interface Parts {
  readonly lanes: LaneRows;
  readonly waiting: WaitingDeliveries;
  readonly commitMachine: CommitMachine;
}

export function createHeldDeliveries({ database, query, clock }: Connection, parts: Parts): HeldDeliveries {
  const { lanes, waiting, commitMachine } = parts;
  const held = prepare(database, (p: Named<{ id: number }>) =>
    query
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .select(['deliveries.event_id', 'deliveries.replay_id', 'events.subject_id'])
      .where('deliveries.id', '=', p.id)
      .where('deliveries.status', '=', 'running'),
  );
  const finish = prepare(
    database,
    (p: Named<{ id: number; status: string; lastError: string | null; now: number }>) =>
      query
        .updateTable('deliveries')
        .set({ status: p.status, last_error: p.lastError, finished_at: p.now, lane_id: null })
        .where('id', '=', p.id),
  );
  const postpone = prepare(
    database,
    (p: Named<{ id: number; lastError: string; dueAt: number; now: number }>) =>
      query
        .updateTable('deliveries')
        .set({ status: 'pending', last_error: p.lastError, due_at: p.dueAt, asked_at: p.now })
        .where('id', '=', p.id),
  );
  const handBack = prepare(database, (p: Named<{ id: number; dueAt: number; now: number }>) =>
    query
      .updateTable('deliveries')
      .set((eb) => ({
        status: 'pending',
        attempts: eb('attempts', '-', 1),
        due_at: p.dueAt,
        asked_at: p.now,
      }))
      .where('id', '=', p.id),
  );

  function find(delivery: ClaimedDelivery) {
    const id = rowOf('d', delivery.id);
    const row = id === undefined ? undefined : held.get({ id });
    if (id === undefined || row === undefined) {
      throw new PortariaError('invalid-argument', `delivery ${delivery.id} is not held`);
    }
    return { id, lane: Number(delivery.lane), ...row };
  }

  function moveOn(lane: number, now: number, next: boolean, replay: string | undefined) {
    const head = waiting.head(lane);
    if (head === undefined) {
      lanes.remove(lane);
      return null;
    }
    const dueAt = dueTime(head, now);
    const wanted = replay === undefined || head.replay_id === rowOf('r', replay);
    if (next && wanted && dueAt <= now) return waiting.start(head.id, lane);
    lanes.release(lane, dueAt, now);
    return null;
  }

  return {
    advance(delivery, end, { now, next, replay }) {
      const row = find(delivery);
      if (end.status === 'succeeded' && end.machine !== undefined) {
        commitMachine(row.subject_id, end.machine, {
          now,
          replayed: { eventId: row.event_id, replayId: row.replay_id },
        });
      }
      const lastError = end.status === 'succeeded' ? null : end.reason;
      finish.run({ id: row.id, status: end.status, lastError, now });
      return moveOn(row.lane, now, next, replay);
    },
    postpone(delivery, { now, dueAt, reason }) {
      const row = find(delivery);
      postpone.run({ id: row.id, lastError: reason, dueAt, now });
      moveOn(row.lane, now, false, undefined);
    },
    handBack(delivery, { dueAt }) {
      const row = find(delivery);
      const now = clock.now();
      handBack.run({ id: row.id, dueAt, now });
      moveOn(row.lane, now, false, undefined);
    },
  };
}
