import { subjectName } from '../event/subject.ts';
import type { ClaimedDelivery, MachineCommit } from '../store/lane-queue.ts';
import type { DeliveryFields } from '../telemetry/telemetry.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import type { Judgement } from './judge-outcome.ts';
import type { Following } from './turn.ts';

export interface Outcome {
  readonly judgement: Judgement;
  /** Stored in the transaction that ends the delivery, when it succeeded. */
  readonly machine?: MachineCommit | undefined;
  readonly durationMs: number;
}

/**
 * Makes the outcome durable, then reports it. Returns the lane's next
 * delivery when `next` asks for it and it is due.
 *
 * @throws what the store threw, as `withRetry`: then nothing was recorded.
 */
export function recordOutcome(
  delivery: ClaimedDelivery,
  { judgement, machine, durationMs }: Outcome,
  next: () => boolean,
  { store, telemetry, withRetry, shutdown, clock, replay }: DispatchParts,
): Promise<Following> {
  const only = replay === undefined ? {} : { replay };
  const complete = (end: Parameters<typeof store.complete>[1]): Promise<Following> =>
    withRetry(() => store.complete(delivery, end, { now: clock.now(), next: next(), ...only }), shutdown);

  switch (judgement.verdict) {
    case 'succeeded':
      return complete({ status: 'succeeded', ...(machine && { machine }) }).then((following) => {
        telemetry.emit('delivery.succeeded', { ...deliveryFields(delivery), durationMs });
        for (const { eventId, message } of newAnomalies(delivery, machine)) {
          const subject = subjectName(delivery.event.subject);
          telemetry.emit('machine.anomaly', { machine: delivery.handler, subject, event: eventId, message });
        }
        return following;
      });
    case 'skipped':
    case 'dead': {
      const { verdict, reason } = judgement;
      return complete({ status: verdict, reason }).then((following) => {
        telemetry.emit(`delivery.${verdict}`, { ...deliveryFields(delivery), durationMs, reason });
        return following;
      });
    }
    case 'retry': {
      const { reason, waitMs } = judgement;
      const failedAt = clock.now();
      const failure = { now: failedAt, dueAt: failedAt + waitMs, reason };
      return withRetry(() => store.reschedule(delivery, failure), shutdown).then(() => {
        telemetry.emit('delivery.retrying', { ...deliveryFields(delivery), durationMs, reason, waitMs });
        return null;
      });
    }
    case 'released':
      // Due at once, but behind what has been due for longer: probes go round the lanes.
      return withRetry(() => store.release([delivery], { dueAt: clock.now() }), shutdown).then(() => {
        telemetry.emit('delivery.released', { ...deliveryFields(delivery), reason: judgement.reason });
        return null;
      });
  }
}

export function deliveryFields(delivery: ClaimedDelivery): DeliveryFields {
  const { id, event, handler, attempt, replay } = delivery;
  return { delivery: id, event: event.id, handler, kind: event.kind, attempt, replay: replay !== null };
}

/** A refold lists all there ever were; of those only this event's are news. */
function newAnomalies(
  delivery: ClaimedDelivery,
  machine: MachineCommit | undefined,
): MachineCommit['anomalies'] {
  if (machine === undefined) return [];
  if (!machine.refolded) return machine.anomalies;
  return machine.anomalies.filter(({ eventId }) => eventId === delivery.event.id);
}
