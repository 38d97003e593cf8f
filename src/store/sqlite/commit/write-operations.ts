import type { Subject } from '../../../event/subject.ts';
import type { Resolution } from '../../ambiguities.ts';
import type { Acceptance, AcceptOptions, Quarantining } from '../../inbox.ts';
import type { ClaimRequest, DeliveryEnd, LaneQueue, MachineCommit } from '../../lane-queue.ts';
import type { ReplayRecord } from '../../replays.ts';
import type { Route } from '../../route.ts';
import { createAcceptEvent } from '../events/accept-event.ts';
import type { ArrivedEvent, ArrivedRejection } from '../events/arrival.ts';
import { createClaimDeliveries, type StartedDeliveries } from '../deliveries/claim-deliveries.ts';
import { createClockJumps } from '../deliveries/clock-jumps.ts';
import { createCommitMachine } from '../machines/commit-machine.ts';
import type { Connection } from '../sql/connection.ts';
import { createDueDeliveries } from '../deliveries/due-deliveries.ts';
import { createEnqueueBatch } from '../deliveries/enqueue-batch.ts';
import { createEnqueueDelivery } from '../deliveries/enqueue-delivery.ts';
import { createEventRows } from '../events/event-rows.ts';
import { createReleaseDeliveries, type ReleaseDeliveries } from '../deliveries/release-deliveries.ts';
import { createHeldDeliveries, type HeldDelivery } from '../deliveries/held-deliveries.ts';
import { createMoveLaneOn, type Onward } from '../deliveries/advance-lane.ts';
import { createQuarantine } from '../quarantine/quarantine.ts';
import { createRecover } from '../deliveries/recover.ts';
import type { ReplayBatch } from '../replays/replay-batches.ts';
import { createReplayRows, type NewReplay } from '../replays/replay-rows.ts';
import { createRetryDeliveries } from '../deliveries/retry-deliveries.ts';
import { createRowCounts } from '../statistics/row-counts.ts';
import { createResolveAmbiguity } from '../events/resolve-ambiguity.ts';
import { createStartDelivery } from '../deliveries/start-delivery.ts';
import type { StartedDelivery } from '../deliveries/started-delivery.ts';
import {
  createSucceedDeliveries,
  type Following,
  type SucceededBatch,
} from '../deliveries/succeeded-deliveries.ts';
import { createSubjectRows } from '../events/subject-rows.ts';
import type { TransactionPart } from './transaction-part.ts';
import { createWaitingDeliveries } from '../deliveries/waiting-deliveries.ts';
import { createWriteProbe } from './write-probe.ts';

/** What can be written, each to be called inside a transaction. See the store's interface for what they mean. */
export interface WriteOperations {
  accept(event: ArrivedEvent, routes: readonly Route[], options?: AcceptOptions): Acceptance;
  quarantine(rejected: ArrivedRejection): Quarantining;
  recover(): number;
  claim(request: ClaimRequest): StartedDeliveries;
  complete(
    delivery: HeldDelivery,
    end: DeliveryEnd,
    options: Parameters<LaneQueue['complete']>[2],
  ): StartedDelivery | null;
  succeed(batch: SucceededBatch, onward: Onward): readonly Following[];
  reschedule(delivery: HeldDelivery, failure: Parameters<LaneQueue['reschedule']>[1]): void;
  release: ReleaseDeliveries;
  resolveAmbiguity(eventId: string, found: Resolution, repeats: number): Resolution;
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
    release: createReleaseDeliveries(connection, { moveLaneOn, counts, clockJumps }),
    succeed: createSucceedDeliveries(connection, { moveLaneOn, counts }),
    accept: createAcceptEvent(connection, { events, subjects, quarantine, enqueue }),
    quarantine: (rejected) => quarantine.hold(rejected),
    recover: createRecover(connection, { waiting, counts, clockJumps }),
    claim: createClaimDeliveries({ due: createDueDeliveries(connection), start, clockJumps }),
    resolveAmbiguity: createResolveAmbiguity(connection),
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
