/** Lists how each write travels to the writing thread and back. */
import type { Acceptance, Moved } from '../../../inbox.ts';
import type { DeliveryEnd, LaneQueue } from '../../../lane-queue.ts';
import type { Route } from '../../../route.ts';
import type { InFlightDelivery, QueuedDelivery } from '../../../shared/deliveries/claimed-delivery.ts';
import type { ArrivedDelivery, ArrivedEvent, ArrivedRejection } from '../../../shared/events/arrival.ts';
import type { WriteOperations } from '../write-operations.ts';
import {
  arrayOf,
  byStatus,
  bytes,
  nullable,
  optionalBytes,
  plain,
  plainArray,
  record,
  tuple,
  type Codec,
} from './messages.ts';

/** How the parameters and the result of a write operation travel between threads. */
export interface OperationCodec<Name extends keyof WriteOperations> {
  readonly parameters: Codec<Parameters<WriteOperations[Name]>>;
  readonly result: Codec<ReturnType<WriteOperations[Name]>>;
}

const delivery = record<ArrivedDelivery>({
  source: plain(),
  senderVerified: plain(),
  receivedAt: plain(),
  messageId: plain(),
  headers: plain(),
  body: bytes,
});

const event = record<ArrivedEvent>({
  delivery,
  kind: plain(),
  recognized: plain(),
  flags: plainArray(),
  subject: record({ family: plain(), id: plain() }),
  formerId: plain(),
  digest: bytes,
  messageDigest: optionalBytes,
  version: plain(),
});

const rejection = record<ArrivedRejection>({
  delivery,
  messageIdTrusted: plain(),
  reason: plain(),
  kind: plain(),
  subject: plain(),
  message: plain(),
  issues: plain(),
});

const route = record<Route>({ handler: plain(), order: plain(), stale: plain() });

const acceptance = byStatus<Acceptance | Moved>({
  stored: record({ status: plain(), id: plain(), verdict: plain(), flags: plainArray(), pending: plain() }),
  duplicate: record({ status: plain(), id: plain() }),
  moved: record({ status: plain(), reconciled: plain() }),
  conflict: record({ status: plain(), id: plain(), quarantineId: plain(), dropped: plain() }),
});

const inFlight = record<InFlightDelivery>({
  id: plain(),
  handler: plain(),
  lane: plain(),
  replayId: plain(),
});

const started = record<QueuedDelivery>({
  delivery_id: plain(),
  handler: plain(),
  lane: plain(),
  effect: plain(),
  effect_change: plain(),
  late: plain(),
  attempt: plain(),
  replay_id: plain(),
  event_id: plain(),
});

const end = byStatus<DeliveryEnd>({
  succeeded: record<Extract<DeliveryEnd, { status: 'succeeded' }>>({ status: plain(), machine: plain() }),
  skipped: record({ status: plain(), reason: plain() }),
  dead: record<Extract<DeliveryEnd, { status: 'dead' }>>({
    status: plain(),
    reason: plain(),
    durationMs: plain(),
    hold: plain(),
  }),
});

const completeOptions = record<Parameters<LaneQueue['complete']>[2]>({
  now: plain(),
  next: plain(),
});

/** A rare operation: its parameters and its result are cloned as they are. */
const cloned = { parameters: plain<never>(), result: plain<never>() };

/** The codecs of all write operations, for both threads. */
export const operationCodecs: { readonly [Name in keyof WriteOperations]: OperationCodec<Name> } = {
  accept: { parameters: tuple(event, arrayOf(route), plain()), result: acceptance },
  quarantine: { parameters: tuple(rejection), result: plain() },
  claim: {
    parameters: tuple(plain()),
    result: record({ deliveries: arrayOf(started), nextDueAt: plain(), superseded: plain(), more: plain() }),
  },
  complete: {
    parameters: tuple(inFlight, end, completeOptions),
    result: nullable(started),
  },
  reschedule: { parameters: tuple(inFlight, plain()), result: plain() },
  succeed: cloned,
  release: cloned,
  recover: cloned,
  resolveAmbiguity: cloned,
  recognize: cloned,
  fillReconciled: cloned,
  commitMachine: cloned,
  enqueueReplay: cloned,
  retryDeliveries: cloned,
  registerProcess: cloned,
  unregisterProcess: cloned,
  eraseContents: cloned,
  beginErasure: cloned,
  beginErasureRun: cloned,
  finishErasure: cloned,
  hold: cloned,
  removeHolds: cloned,
  recordMonitoring: cloned,
  discardDeliveries: cloned,
  pruneEvents: cloned,
  pruneQuarantine: cloned,
  pruneDeliveries: cloned,
  recordPruning: cloned,
  giveBackSpace: cloned,
  appendAudit: cloned,
  pruneAudit: cloned,
  endSession: cloned,
  pause: cloned,
  resume: cloned,
  acknowledgePauses: cloned,
  takeRates: cloned,
  closeRate: cloned,
  createJob: cloned,
  stepJob: cloned,
  recordJobResults: cloned,
  changeJob: cloned,
  pruneJobs: cloned,
  probe: cloned,
};
