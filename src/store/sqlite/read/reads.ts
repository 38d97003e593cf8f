/** The reads that may take long, put together of their parts. */
import type { StoreLimits } from '../commit/write-operations.ts';
import { createSharedReads } from '../../shared/methods.ts';
import { createEventReads, createPredict } from '../events/event-reads.ts';
import { createScanEvents } from '../events/scan-events.ts';
import { createSubjectReads } from '../events/subject-reads.ts';
import { createStoredBodies } from '../events/stored-events.ts';
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
export type Reads = ReturnType<typeof createReads>;

/** Implements the reads on a connection. */
export function createReads(connection: Connection, about: { readonly storeId: string } & StoreLimits) {
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
