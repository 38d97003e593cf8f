import { PortariaError } from '../../../kernel/errors.ts';
import type { DeliveryEnd, LaneQueue } from '../../lane-queue.ts';
import type { CommitMachine } from '../machines/commit-machine.ts';
import type { Connection } from '../sql/connection.ts';
import { countedTries } from './held-attempts.ts';
import type { MoveLaneOn } from './advance-lane.ts';
import type { DeliveryClass, RowCounts } from '../statistics/row-counts.ts';
import type { StartedDelivery } from './started-delivery.ts';
import { prepare, type Named } from '../sql/statement.ts';
import type { LaneKey } from './waiting-deliveries.ts';

/** A claimed delivery, by row. */
export interface HeldDelivery extends LaneKey, DeliveryClass {
  readonly id: number;
}

/** What can become of a claimed delivery. To be called inside a transaction. */
export interface HeldDeliveries {
  complete(
    delivery: HeldDelivery,
    end: DeliveryEnd,
    options: Parameters<LaneQueue['complete']>[2],
  ): StartedDelivery | null;
  reschedule(delivery: HeldDelivery, failure: Parameters<LaneQueue['reschedule']>[1]): void;
}

interface Parts {
  readonly moveLaneOn: MoveLaneOn;
  readonly counts: Pick<RowCounts, 'deliveryMoved'>;
  readonly commitMachine: CommitMachine;
}

export function createHeldDeliveries({ database, query }: Connection, parts: Parts): HeldDeliveries {
  const { moveLaneOn, counts, commitMachine } = parts;
  const ofEvent = prepare(database, (p: Named<{ id: number }>) =>
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
        .set({ status: p.status, attempts: countedTries, last_error: p.lastError, finished_at: p.now })
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
          attempts: countedTries,
          last_error: p.lastError,
          due_at: p.dueAt,
          asked_at: p.now,
        })
        .where('id', '=', p.id)
        .where('status', '=', 'running'),
  );

  function storeMachine(held: HeldDelivery, commit: Parameters<CommitMachine>[1], now: number): void {
    const event = ofEvent.get({ id: held.id });
    if (event === undefined) throw notHeld(held.id);
    commitMachine(event.subject_id, commit, {
      now,
      replayed: { eventId: event.id, replayId: held.replayId },
    });
  }

  return {
    complete(held, end, onward) {
      const { now } = onward;
      if (end.status === 'succeeded' && end.machine !== undefined) storeMachine(held, end.machine, now);
      const lastError = end.status === 'succeeded' ? null : end.reason;
      changed(finish.run({ id: held.id, status: end.status, lastError, now }), held);
      counts.deliveryMoved(held, 'running', end.status);
      return moveLaneOn(held, onward);
    },
    reschedule(held, { now, dueAt, reason }) {
      changed(reschedule.run({ id: held.id, lastError: reason, dueAt, now }), held);
      counts.deliveryMoved(held, 'running', 'pending');
      moveLaneOn(held, { now, next: false });
    },
  };
}

function changed({ changes }: { readonly changes: number }, { id }: HeldDelivery): void {
  if (changes === 0) throw notHeld(id);
}

function notHeld(id: number): PortariaError {
  return new PortariaError('invalid-argument', `delivery d${String(id)} is not held`);
}
