import type { EventFlag } from '../../../../event/event.ts';
import type { Acceptance, AcceptOptions } from '../../../inbox.ts';
import type { Route } from '../../../route.ts';
import type { ArrivedDelivery, ArrivedEvent, ArrivedRejection } from '../../events/arrival.ts';
import type { Codec } from './codec.ts';
import type { TapeReader, TapeWriter } from './batch-encoder.ts';

const NO_BYTES = new Uint8Array(0);

export const acceptCodec: Codec<'accept'> = {
  putParameters(tape, event, routes, options) {
    putDelivery(tape, event.delivery);
    tape.put(event.kind);
    tape.put(event.recognized);
    tape.put(event.flags.length === 0 ? null : event.flags);
    tape.put(event.subject.family);
    tape.put(event.subject.id);
    tape.putBytes(event.digest);
    tape.putBytes(event.messageDigest);
    tape.put(event.version);
    tape.put(routes.length);
    for (const { handler, order, stale } of routes) {
      tape.put(handler);
      tape.put(order);
      tape.put(stale);
    }
    tape.put(options);
  },
  takeParameters: (tape) => [takeEvent(tape), takeRoutes(tape), tape.take<AcceptOptions | undefined>()],
  putResult(tape, acceptance) {
    tape.put(acceptance.status);
    tape.put(acceptance.id);
    if (acceptance.status === 'conflict') {
      tape.put(acceptance.quarantineId);
      tape.put(acceptance.dropped);
    }
    if (acceptance.status !== 'stored') return;
    tape.put(acceptance.verdict);
    tape.put(acceptance.flags.length === 0 ? null : acceptance.flags);
    tape.put(acceptance.pending);
  },
  takeResult(tape): Acceptance {
    const status = tape.take<Acceptance['status']>();
    const id = tape.take<string>();
    switch (status) {
      case 'duplicate':
        return { status, id };
      case 'conflict':
        return { status, id, quarantineId: tape.take(), dropped: tape.take() };
      case 'stored':
        return { status, id, verdict: tape.take(), flags: takeFlags(tape), pending: tape.take() };
    }
  },
};

export const quarantineCodec: Codec<'quarantine'> = {
  putParameters(tape, { delivery, ...rest }) {
    putDelivery(tape, delivery);
    tape.put(rest);
  },
  takeParameters: (tape) => [
    { delivery: takeDelivery(tape), ...tape.take<Omit<ArrivedRejection, 'delivery'>>() },
  ],
  putResult: (tape, result) => {
    tape.put(result);
  },
  takeResult: (tape) => tape.take(),
};

function takeEvent(tape: TapeReader): ArrivedEvent {
  return {
    delivery: takeDelivery(tape),
    kind: tape.take(),
    recognized: tape.take(),
    flags: takeFlags(tape),
    subject: { family: tape.take(), id: tape.take() },
    digest: tape.takeBytes() ?? NO_BYTES,
    messageDigest: tape.takeBytes(),
    version: tape.take(),
  };
}

function takeRoutes(tape: TapeReader): readonly Route[] {
  return Array.from({ length: tape.take<number>() }, () => ({
    handler: tape.take(),
    order: tape.take(),
    stale: tape.take(),
  }));
}

function takeFlags(tape: TapeReader): readonly EventFlag[] {
  return tape.take<readonly EventFlag[] | null>() ?? [];
}

function putDelivery(tape: TapeWriter, delivery: ArrivedDelivery): void {
  tape.put(delivery.source);
  tape.put(delivery.senderVerified);
  tape.put(delivery.receivedAt);
  tape.put(delivery.messageId);
  tape.put(delivery.headers);
  tape.putBytes(delivery.body);
}

function takeDelivery(tape: TapeReader): ArrivedDelivery {
  return {
    source: tape.take(),
    senderVerified: tape.take(),
    receivedAt: tape.take(),
    messageId: tape.take(),
    headers: tape.take(),
    body: tape.takeBytes() ?? NO_BYTES,
  };
}
