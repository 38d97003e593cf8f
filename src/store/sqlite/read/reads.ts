import type { MachineStates } from '../../machine-states.ts';
import type { Processes } from '../../processes.ts';
import type { Privacy } from '../../privacy.ts';
import type { Monitoring } from '../../monitoring.ts';
import type { Queries } from '../../queries.ts';
import type { Replays } from '../../replays.ts';
import type { Retention } from '../../retention.ts';
import type { StoreLimits } from '../commit/write-operations.ts';
import { createDeliveryReads } from '../deliveries/delivery-reads.ts';
import { createEventReads } from '../events/event-reads.ts';
import { createSubjectReads } from '../events/subject-reads.ts';
import { createStoredBodies, type ReadStoredBodies } from '../events/stored-events.ts';
import { createMachineReads } from '../machines/machine-reads.ts';
import { createVersionOrder } from '../machines/version-order.ts';
import { createProcessReads } from '../processes/process-records.ts';
import { createContentReads } from '../privacy/content-reads.ts';
import { createLedgerReads } from '../privacy/erasure-ledger.ts';
import { createHoldReads } from '../privacy/holds.ts';
import { createMonitoringReads } from '../monitoring/monitoring-reads.ts';
import { createQuarantineReads } from '../quarantine/quarantine-reads.ts';
import { createCountReplayEvents } from '../replays/count-replay-events.ts';
import { createReplayReads } from '../replays/replay-records.ts';
import { createReadReplayEvents } from '../replays/replay-selection.ts';
import { createPrunableReads } from '../retention/prunable-rows.ts';
import type { Connection } from '../sql/connection.ts';
import { readStatistics, readTotals } from '../statistics/read-statistics.ts';

/**
 * The reads whose duration grows with the store. Another thread can run them:
 * parameters and results are plain data.
 */
export type Reads = Queries &
  Pick<
    MachineStates,
    'versionOrder' | 'eventBefore' | 'listMachineStates' | 'anomalies' | 'sourcesOf' | 'subjectsWithKinds'
  > &
  Pick<Retention, 'prunableEvents' | 'prunableQuarantine' | 'prunableDeliveries' | 'firstBody'> &
  Pick<Replays, 'replay' | 'replays' | 'replayProgress' | 'replayEvents' | 'countReplayEvents'> &
  Omit<Monitoring, 'recordMonitoring'> &
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
  return {
    ...createEventReads(connection),
    ...createSubjectReads(connection),
    ...createVersionOrder(connection),
    ...createDeliveryReads(connection),
    ...createQuarantineReads(connection),
    ...createMachineReads(connection),
    ...createMonitoringReads(connection),
    ...createReplayReads(connection),
    ...createProcessReads(connection),
    ...createContentReads(connection),
    ...createLedgerReads(connection),
    ...createHoldReads(connection),
    ...createPrunableReads(connection),
    storedBodies: createStoredBodies(connection),
    replayEvents: createReadReplayEvents(connection),
    countReplayEvents: createCountReplayEvents(connection),
    statistics: () => readStatistics(connection, about),
    totals: () => readTotals(connection, about),
  };
}
