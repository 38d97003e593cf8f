import type { StoredEvent } from '../../../event/stored-event.ts';
import type { MachineStates } from '../../machine-states.ts';
import type { Queries } from '../../queries.ts';
import type { Replays } from '../../replays.ts';
import type { Connection } from '../sql/connection.ts';
import { createCountReplayEvents } from '../replays/count-replay-events.ts';
import { createDeliveryReads } from '../deliveries/delivery-reads.ts';
import { createEventReads } from '../events/event-reads.ts';
import { LazyStoredEvent } from '../events/lazy-stored-event.ts';
import { createMachineReads } from '../machines/machine-reads.ts';
import { createQuarantineReads } from '../quarantine/quarantine-reads.ts';
import { createReadReplayEvents } from '../replays/read-replay-events.ts';
import { readStatistics, readTotals } from '../statistics/read-statistics.ts';
import { createReplayReads } from '../replays/replay-reads.ts';
import { createStoredBodies, type ReadStoredBodies } from '../events/stored-bodies.ts';
import { createSubjectTrail } from '../events/subject-trail.ts';
import { createVersionOrder } from '../machines/version-order.ts';
import type { StoreLimits } from '../commit/write-operations.ts';

/**
 * Reads that take the longer the more is stored. Each may be asked of another
 * thread: parameters and results are plain data.
 */
export type Reads = Queries &
  Pick<
    MachineStates,
    'versionOrder' | 'eventBefore' | 'listMachineStates' | 'anomalies' | 'sourcesOf' | 'subjectsWithKinds'
  > &
  Pick<Replays, 'replay' | 'replays' | 'replayProgress' | 'replayEvents' | 'countReplayEvents'> & {
    storedBodies: ReadStoredBodies;
  };

/** The same, made of a connection. */
export function createReads(
  connection: Connection,
  about: { readonly storeId: string } & StoreLimits,
): Reads {
  return {
    ...createEventReads(connection),
    ...createSubjectTrail(connection),
    ...createVersionOrder(connection),
    ...createDeliveryReads(connection),
    ...createQuarantineReads(connection),
    ...createMachineReads(connection),
    ...createReplayReads(connection),
    storedBodies: createStoredBodies(connection),
    replayEvents: createReadReplayEvents(connection),
    countReplayEvents: createCountReplayEvents(connection),
    statistics: () => readStatistics(connection, about),
    totals: () => readTotals(connection, about),
  };
}

/** Events of these ids, whose bodies come in messages that hold up nobody. */
export async function readStoredEvents(
  read: ReadStoredBodies,
  ids: readonly string[],
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let from = 0; from < ids.length;) {
    const { found, answered } = await read(ids.slice(from));
    for (const { record, body } of found) events.push(new LazyStoredEvent(record, body));
    from += answered;
  }
  return events;
}
