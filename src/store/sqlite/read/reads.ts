/** Lists the reads that may take long, and puts their parts together. */
import type { AuditLog } from '../../audit.ts';
import type { LaneReads } from '../../lane-reads.ts';
import type { MachineOverview } from '../../machine-overview.ts';
import type { MachineStates } from '../../machine-states.ts';
import type { Processes } from '../../processes.ts';
import type { Privacy } from '../../privacy.ts';
import type { Failures } from '../../failures.ts';
import type { Jobs } from '../../jobs.ts';
import type { Monitoring } from '../../monitoring.ts';
import type { Plans } from '../../plans.ts';
import type { Queries } from '../../queries.ts';
import type { Pauses } from '../../pauses.ts';
import type { Replays } from '../../replays.ts';
import type { Retention } from '../../retention.ts';
import type { StoreLimits } from '../commit/write-operations.ts';
import { createSharedReads } from '../../shared/methods.ts';
import { createEventReads } from '../events/event-reads.ts';
import { createScanEvents } from '../events/scan-events.ts';
import { createPredict } from '../events/predict.ts';
import { createSubjectReads } from '../events/subject-reads.ts';
import { createStoredBodies, type ReadStoredBodies } from '../events/stored-events.ts';
import { createLaneReads } from '../deliveries/lane-overview.ts';
import { createVersionOrder } from '../machines/version-order.ts';
import { createProcessReads } from '../processes/process-records.ts';
import { sqliteContents } from '../privacy/erasure-parts.ts';
import { readErasureKey } from '../privacy/keyed-digest.ts';
import { createMonitoring } from '../monitoring/own-monitoring.ts';
import { createPauseReads } from '../../shared/pauses/pauses.ts';
import { createCountReplayEvents } from '../../shared/replays/count-replay-events.ts';
import { createPrunableEvents } from '../retention/prunable-events.ts';
import type { Connection } from '../sql/connection.ts';
import { createStatistics } from '../../shared/statistics/read-statistics.ts';
import { ownNumbers } from '../statistics/own-numbers.ts';

/**
 * The reads whose duration grows with the store. Another thread can run them:
 * parameters and results are plain data.
 */
export type Reads = Queries &
  MachineOverview &
  LaneReads &
  Pick<
    MachineStates,
    'versionOrder' | 'eventBefore' | 'listMachineStates' | 'anomalies' | 'sourcesOf' | 'subjectsWithKinds'
  > &
  Pick<Retention, 'prunableEvents' | 'prunableQuarantine' | 'prunableDeliveries' | 'firstBody'> &
  Pick<Replays, 'replayEvents' | 'countReplayEvents'> &
  Omit<Monitoring, 'recordMonitoring'> &
  Pick<AuditLog, 'audit' | 'checkAudit'> &
  Pick<Pauses, 'pausedDeliveries'> &
  Failures &
  Plans &
  Pick<Jobs, 'job' | 'jobs' | 'runningJobs' | 'failedItems'> &
  Pick<Privacy, 'erasureKey' | 'contents' | 'derivedContents' | 'runningErased' | 'erasures' | 'holds'> & {
    storedBodies: ReadStoredBodies;
    /** All records, also of processes that have ended. */
    processes: Processes['processes'];
    knownDefinitions: Processes['knownDefinitions'];
  };

/** Implements the reads on a connection. */
export function createReads(
  connection: Connection,
  about: { readonly storeId: string } & StoreLimits,
): Reads {
  const own = ownNumbers(connection, about);
  return {
    ...createSharedReads(connection, sqliteContents),
    ...createEventReads(connection),
    ...createScanEvents(connection),
    ...createSubjectReads(connection),
    ...createVersionOrder(connection),
    ...createPredict(connection),
    ...createLaneReads(connection),
    ...createMonitoring(connection),
    ...createProcessReads(connection),
    erasureKey: async () => readErasureKey(connection.database),
    ...createPrunableEvents(connection),
    ...createPauseReads(connection),
    storedBodies: createStoredBodies(connection),
    ...createCountReplayEvents(connection, own),
    ...createStatistics(connection, own),
  };
}
