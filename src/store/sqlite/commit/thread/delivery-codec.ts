import type { DeliveryEnd } from '../../../lane-queue.ts';
import type { InFlightDelivery } from '../../deliveries/finish.ts';
import type { StartedDelivery } from '../../deliveries/start.ts';
import type { Codec } from './codec.ts';
import type { TapeReader, TapeWriter } from './batch-encoder.ts';

export const claimCodec: Codec<'claim'> = {
  putParameters: (tape, request) => {
    tape.put(request);
  },
  takeParameters: (tape) => [tape.take()],
  putResult(tape, { deliveries, nextDueAt }) {
    tape.put(deliveries.length);
    for (const delivery of deliveries) putStarted(tape, delivery);
    tape.put(nextDueAt);
  },
  takeResult: (tape) => ({
    deliveries: Array.from({ length: tape.take<number>() }, () => takeStarted(tape)),
    nextDueAt: tape.take(),
  }),
};

export const completeCodec: Codec<'complete'> = {
  putParameters(tape, held, end, { now, next, replay }) {
    putHeld(tape, held);
    tape.put(end.status);
    tape.put(end.status === 'succeeded' ? end.machine : end.reason);
    tape.put(now);
    tape.put(next);
    tape.put(replay);
  },
  takeParameters: (tape) => [
    takeHeld(tape),
    takeEnd(tape),
    { now: tape.take(), next: tape.take(), ...optional('replay', tape.take<string | undefined>()) },
  ],
  putResult(tape, next) {
    tape.put(next !== null);
    if (next !== null) putStarted(tape, next);
  },
  takeResult: (tape) => (tape.take<boolean>() ? takeStarted(tape) : null),
};

export const rescheduleCodec: Codec<'reschedule'> = {
  putParameters(tape, held, failure) {
    putHeld(tape, held);
    tape.put(failure);
  },
  takeParameters: (tape) => [takeHeld(tape), tape.take()],
  putResult: () => undefined,
  takeResult: () => undefined,
};

function takeEnd(tape: TapeReader): DeliveryEnd {
  const status = tape.take<DeliveryEnd['status']>();
  return status === 'succeeded'
    ? { status, ...optional('machine', tape.take<(DeliveryEnd & { status: 'succeeded' })['machine']>()) }
    : { status, reason: tape.take() };
}

/** An optional member is left out, not undefined. */
function optional<Name extends string, T>(name: Name, value: T | undefined): { readonly [N in Name]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: T };
}

function putHeld(tape: TapeWriter, { id, handler, lane, replayId }: InFlightDelivery): void {
  tape.put(id);
  tape.put(handler);
  tape.put(lane);
  tape.put(replayId);
}

function takeHeld(tape: TapeReader): InFlightDelivery {
  return { id: tape.take(), handler: tape.take(), lane: tape.take(), replayId: tape.take() };
}

function putStarted(tape: TapeWriter, row: StartedDelivery): void {
  tape.put(row.delivery_id);
  tape.put(row.handler);
  tape.put(row.lane);
  tape.put(row.effect);
  tape.put(row.effect_change);
  tape.put(row.late);
  tape.put(row.attempt);
  tape.put(row.replay_id);
  tape.put(row.event_id);
}

function takeStarted(tape: TapeReader): StartedDelivery {
  return {
    delivery_id: tape.take(),
    handler: tape.take(),
    lane: tape.take(),
    effect: tape.take(),
    effect_change: tape.take(),
    late: tape.take(),
    attempt: tape.take(),
    replay_id: tape.take(),
    event_id: tape.take(),
  };
}
