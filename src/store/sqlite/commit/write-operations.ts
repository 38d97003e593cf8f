import type { Subject } from '../../event/subject.ts';
import type { Settlement } from '../ambiguities.ts';
import type { Acceptance, AcceptOptions, Quarantining } from '../inbox.ts';
import type { ClaimRequest, DeliveryEnd, LaneQueue, MachineCommit } from '../lane-queue.ts';
import type { ReplayRecord } from '../replays.ts';
import type { Route } from '../route.ts';
import { createAcceptEvent } from './accept-event.ts';
import type { ArrivedEvent, ArrivedRejection } from './arrival.ts';
import { createClaimDeliveries, type StartedDeliveries } from './claim-deliveries.ts';
import { createClockJumps } from './clock-jumps.ts';
import { createCommitMachine } from './commit-machine.ts';
import type { Connection } from './connection.ts';
import { createDueDeliveries } from './due-deliveries.ts';
import { createEnqueueBatch } from './enqueue-batch.ts';
import { createEnqueueDelivery } from './enqueue-delivery.ts';
import { createEventRows } from './event-rows.ts';
import { createHandBackDeliveries, type HandBackDeliveries } from './hand-back-deliveries.ts';
import { createHeldDeliveries, type HeldDelivery } from './held-deliveries.ts';
import { createMoveLaneOn, type Onward } from './move-lane-on.ts';
import { createQuarantine } from './quarantine.ts';
import { createRecover } from './recover.ts';
import type { ReplayBatch } from './replay-batches.ts';
import { createReplayRows, type NewReplay } from './replay-rows.ts';
import { createRetryDeliveries } from './retry-deliveries.ts';
import { createRowCounts } from './row-counts.ts';
import { createSettleAmbiguity } from './settle-ambiguity.ts';
import { createStartDelivery } from './start-delivery.ts';
import type { StartedDelivery } from './started-delivery.ts';
import { createSucceedDeliveries, type Following, type SucceededBatch } from './succeeded-deliveries.ts';
import { createSubjectRows } from './subject-rows.ts';
import type { TransactionPart } from './transaction-part.ts';
import { createWaitingDeliveries } from './waiting-deliveries.ts';
import { createWriteProbe } from './write-probe.ts';

/** What can be written, each to be called inside a transaction. See the store's interface for what they mean. */
export interface WriteOperations {
  accept(event: ArrivedEvent, routes: readonly Route[], options?: AcceptOptions): Acceptance;
  quarantine(rejected: ArrivedRejection): Quarantining;
  recover(): number;
  claim(request: ClaimRequest): StartedDeliveries;
  advance(
    delivery: HeldDelivery,
    end: DeliveryEnd,
    options: Parameters<LaneQueue['advance']>[2],
  ): StartedDelivery | null;
  succeed(batch: SucceededBatch, onward: Onward): readonly Following[];
  postpone(delivery: HeldDelivery, failure: Parameters<LaneQueue['postpone']>[1]): void;
  handBack: HandBackDeliveries;
  settleAmbiguity(eventId: string, found: Settlement, repeats: number): Settlement;
  commitMachine(source: string, subject: Subject, commit: MachineCommit, now: number): void;
  createReplay(replay: NewReplay, now: number): ReplayRecord;
  enqueueReplay(
    id: string,
    batches: readonly ReplayBatch[],
    options: { readonly cursor: string; readonly now: number },
  ): void;
  finishReplay(id: string): void;
  retryDeliveries(ids: readonly string[], now: number): readonly string[];
  /** Writes what changes nothing, to see whether writing works. */
  probe(): void;
}

/** What bounds the store's size. */
export interface StoreLimits {
  /** Of all held entries of the quarantine together. */
  readonly maxQuarantineBytes: number;
}

/** Everything that writes, put together, and what of it follows the fate of transactions. */
export function createWriteOperations(
  connection: Connection,
  { maxQuarantineBytes }: StoreLimits,
): {
  readonly operations: WriteOperations;
  readonly parts: readonly TransactionPart[];
} {
  const counts = createRowCounts(connection);
  const clockJumps = createClockJumps(connection);
  const subjects = createSubjectRows(connection);
  const events = createEventRows(connection, counts);
  const quarantine = createQuarantine(connection, maxQuarantineBytes);
  const waiting = createWaitingDeliveries(connection, clockJumps);
  const start = createStartDelivery(connection, counts);
  const moveLaneOn = createMoveLaneOn(waiting, start);
  const enqueue = createEnqueueDelivery(connection, { waiting, counts, clockJumps });
  const commitMachine = createCommitMachine(connection, { events, enqueue });
  const replays = createReplayRows(connection, createEnqueueBatch(connection, { counts, clockJumps }));

  const operations: WriteOperations = {
    ...createHeldDeliveries(connection, { moveLaneOn, counts, commitMachine }),
    handBack: createHandBackDeliveries(connection, { moveLaneOn, counts, clockJumps }),
    succeed: createSucceedDeliveries(connection, { moveLaneOn, counts }),
    accept: createAcceptEvent(connection, { events, subjects, quarantine, enqueue }),
    quarantine: (rejected) => quarantine.hold(rejected),
    recover: createRecover(connection, { waiting, counts, clockJumps }),
    claim: createClaimDeliveries({ due: createDueDeliveries(connection), start, clockJumps }),
    settleAmbiguity: createSettleAmbiguity(connection),
    commitMachine(source, subject, commit, now) {
      commitMachine(subjects.demand(source, subject), commit, { now });
    },
    createReplay: (replay, now) => replays.create(replay, now),
    enqueueReplay(id, batches, options) {
      replays.enqueue(id, batches, options);
    },
    finishReplay(id) {
      replays.finish(id);
    },
    retryDeliveries: createRetryDeliveries(connection, { waiting, counts }),
    probe: createWriteProbe(connection),
  };
  return { operations, parts: [counts, clockJumps, quarantine.part] };
}
