/** Lists the writes of a store in SQLite, and puts their parts together. */
import { sql } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Subject } from '../../../event/subject.ts';
import type { Acceptance, AcceptOptions, Moved, Quarantining, SeenSubject } from '../../inbox.ts';
import type { ClaimRequest, MachineCommit } from '../../lane-queue.ts';
import type { HandlerProcess, KnownDefinition } from '../../processes.ts';
import type { Route } from '../../route.ts';
import { createKeepAttempt } from '../deliveries/attempts.ts';
import { createClaimDeliveries, type StartedDeliveries } from '../deliveries/claim.ts';
import { createSettleLanes } from '../deliveries/latest.ts';
import { createClockJumps } from '../deliveries/clock-jumps.ts';
import { createDeliveryParts, createJobParts } from '../deliveries/change-deliveries.ts';
import { createEnqueueBatch, type ReplayBatch } from '../deliveries/enqueue-batch.ts';
import { createEnqueueDelivery } from '../deliveries/enqueue.ts';
import { createFinishDeliveries, type FinishDeliveries } from '../deliveries/finish.ts';
import { createLanes } from '../deliveries/lanes.ts';
import { createPausedHeads } from '../deliveries/paused-heads.ts';
import { createRecover } from '../deliveries/recover.ts';
import { createStartDeliveries } from '../deliveries/start.ts';
import { createFailureRows } from '../failures/failure-rows.ts';
import { createJobSteps } from '../../shared/jobs/job-steps.ts';
import { createAcceptEvent } from '../events/accept-event.ts';
import type { ArrivedEvent, ArrivedRejection } from '../../shared/events/arrival.ts';
import { createEventRows } from '../events/event-rows.ts';
import { createFillReconciled } from '../../shared/events/fill-reconciled.ts';
import { createResolveAmbiguity } from '../../shared/events/resolve-ambiguity.ts';
import { createRecognize } from '../../shared/events/recognize.ts';
import { createRecognitionParts } from '../events/recognition-parts.ts';
import { createSubjectRows } from '../events/subjects.ts';
import { createCommitMachine } from '../machines/commit-machine.ts';
import { createProcessWrites } from '../processes/process-records.ts';
import { createProcessRecords } from '../monitoring/own-monitoring.ts';
import { createMonitoringWrites } from '../../shared/monitoring/record-monitoring.ts';
import { createDeliveryChanges, type DeliveryChanges } from '../../shared/deliveries/change-deliveries.ts';
import { createErasureParts } from '../privacy/erasure-parts.ts';
import { createKeyed, type Keyed } from '../privacy/keyed-digest.ts';
import { createSharedWrites } from '../../shared/methods.ts';
import { createPauseWrites } from '../../shared/pauses/pauses.ts';
import { createRateWrites } from '../../shared/rates/rates.ts';
import { createStoreMachineBase } from '../machines/machine-bases.ts';
import type { Reserve } from '../file/reserve.ts';
import { createQuarantine } from '../quarantine/quarantine.ts';
import { createPruneRows, type PruneRows } from '../retention/prune-rows.ts';
import type { Connection } from '../sql/connection.ts';
import { nothingToDo, sqliteDialect } from '../sql/dialect.ts';
import { performed } from '../sql/perform.ts';
import { prepare } from '../sql/statement.ts';
import { rowOf } from '../../shared/ids.ts';
import { run, type PerformedWrites, type Write } from '../../shared/sql/statements.ts';
import { createRowCounts } from '../statistics/row-counts.ts';
import type { TransactionPart } from './batch-commit.ts';

/** All writes of a store, each called inside a transaction. The store's interface documents them. */
export interface WriteOperations
  extends
    FinishDeliveries,
    PerformedWrites<ReturnType<typeof createWritesOfBoth>>,
    PerformedWrites<DeliveryChanges>,
    PerformedWrites<ReturnType<typeof createRecognize>>,
    PerformedWrites<ReturnType<typeof createFillReconciled>>,
    PerformedWrites<ReturnType<typeof createJobSteps<ReplayBatch>>>,
    PruneRows {
  accept(
    event: ArrivedEvent,
    routes: readonly Route[],
    options?: AcceptOptions & SeenSubject,
  ): Acceptance | Moved;
  quarantine(rejected: ArrivedRejection): Quarantining;
  recover(): number;
  claim(request: ClaimRequest): StartedDeliveries;
  commitMachine(source: string, subject: Subject, commit: MachineCommit, now: number): void;
  registerProcess(process: HandlerProcess, definitions: readonly KnownDefinition[]): void;
  unregisterProcess(id: string): void;
  /** Writes without changing anything, to find out whether writing works. */
  probe(): void;
}

/** One process serves, and what it has acknowledged is acknowledged. It stands in the row of the pause. */
const acknowledgements = {
  *acknowledgePauses(ids: readonly string[], now: number): Write<void> {
    const rows = ids.map((id) => rowOf('p', id) ?? 0);
    yield* run(sql`
      update pauses set acknowledged_at = ${now}
      where ${sqliteDialect.isAnyOf('id', rows, 'bigint')} and acknowledged_at is null`);
  },
};

/** The writes that are written for both databases. */
function createWritesOfBoth(connection: Connection, keyed: Keyed) {
  return {
    ...createSharedWrites(connection, createErasureParts(keyed)),
    ...createPauseWrites(connection, nothingToDo),
    ...acknowledgements,
    ...createRateWrites(connection),
    ...createMonitoringWrites(connection, createProcessRecords(connection)),
    ...createResolveAmbiguity(connection),
  };
}

/** What frees room, and the audit that it needs, may use the reserve of a full disk. */
export const mayUseReserve: ReadonlySet<string> = new Set<keyof WriteOperations>([
  'appendAudit',
  'discardDeliveries',
  'pruneEvents',
  'pruneQuarantine',
  'pruneDeliveries',
  'pruneAudit',
  'pruneJobs',
  'recordPruning',
  'giveBackSpace',
]);

/** The limits of the store's size. */
export interface StoreLimits {
  /** The maximum bytes of all held entries of the quarantine together. */
  readonly maxQuarantineBytes: number;
}

/** Creates all writes on a connection, and the in-memory state that follows their transactions. */
export function createWriteOperations(
  connection: Connection,
  { maxQuarantineBytes }: StoreLimits,
  reserve?: Reserve,
): {
  readonly operations: WriteOperations;
  readonly parts: readonly TransactionPart[];
} {
  const counts = createRowCounts(connection);
  const clockJumps = createClockJumps(connection);
  const keyed = createKeyed(connection.database);
  const subjects = createSubjectRows(connection, keyed);
  const events = createEventRows(connection, counts, keyed);
  const quarantine = createQuarantine(connection, maxQuarantineBytes, keyed);
  const start = createStartDeliveries(connection, counts);
  const paused = createPausedHeads(connection);
  const lanes = createLanes(connection, { start, clockJumps, paused });
  const keepAttempt = createKeepAttempt(connection);
  const enqueue = createEnqueueDelivery(connection, { lanes, counts, clockJumps });
  const commitMachine = createCommitMachine(connection, { events, enqueue });
  const processes = createProcessWrites(connection);
  const failures = createFailureRows(connection);
  const deliveryParts = createDeliveryParts({ lanes, counts, failures });
  const deliveryChanges = createDeliveryChanges(connection, deliveryParts);
  const enqueueBatch = createEnqueueBatch(connection, { counts, clockJumps });

  const recognitionParts = createRecognitionParts({ subjects, counts, enqueue });
  const accept = createAcceptEvent(connection, { events, subjects, quarantine, enqueue });

  /** Webhooks leave the room of the reserve to what frees more. */
  function requireReserve(): void {
    if (reserve?.isGivenUp() !== true) return;
    throw new PortariaError(
      'store-full',
      `${connection.database.name}: the disk is full: make room, nothing was stored (what frees room has the rest)`,
    );
  }

  const operations: WriteOperations = {
    ...createFinishDeliveries(connection, {
      lanes,
      paused,
      counts,
      clockJumps,
      commitMachine,
      keepAttempt,
      failures,
    }),
    accept(event, routes, options) {
      requireReserve();
      return accept(event, routes, options);
    },
    quarantine(rejected) {
      requireReserve();
      return quarantine.add(rejected);
    },
    recover: createRecover(connection, { lanes, counts, clockJumps, keepAttempt }),
    claim: createClaimDeliveries(connection, {
      ...{ start, clockJumps, paused },
      settleLanes: createSettleLanes(connection, counts),
    }),
    commitMachine(source, subject, commit, now) {
      commitMachine(subjects.require(source, subject), commit, { now });
    },
    ...performed(connection, deliveryChanges),
    ...performed(connection, createRecognize(connection, recognitionParts)),
    ...performed(
      connection,
      createFillReconciled(connection, { ...createErasureParts(keyed), ...recognitionParts }),
    ),
    registerProcess(process, definitions) {
      processes.register(process, definitions);
    },
    unregisterProcess(id) {
      processes.unregister(id);
    },
    ...performed(connection, createWritesOfBoth(connection, keyed)),
    ...performed(connection, createJobSteps(connection, createJobParts(deliveryChanges, enqueueBatch))),
    ...createPruneRows(connection, {
      subjects,
      moved: deliveryParts.moved,
      storeBase: createStoreMachineBase(connection),
    }),
    probe: createProbe(connection),
  };
  return { operations, parts: [counts, clockJumps, quarantine.part, paused] };
}

function createProbe({ database, query }: Connection): () => void {
  const touch = prepare(database, () =>
    query
      .updateTable('store')
      .set((eb) => ({ created_at: eb.ref('created_at') }))
      .where('id', '=', 1),
  );
  return () => void touch.run({});
}
