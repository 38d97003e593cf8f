import type { Inbox } from '../inbox.ts';
import type { LaneQueue } from '../lane-queue.ts';
import type { MachineStates } from '../machine-states.ts';
import type { Replays } from '../replays.ts';
import { createAcceptEvent } from './accept-event.ts';
import { createClaimLanes } from './claim-lanes.ts';
import { createClockJumps } from './clock-jumps.ts';
import type { Connection } from './connection.ts';
import { createDueLanes } from './due-lanes.ts';
import { createEnqueueDelivery } from './enqueue-delivery.ts';
import { createEventRows } from './event-rows.ts';
import type { GroupCommit } from './group-commit.ts';
import { createHeldDeliveries } from './held-deliveries.ts';
import { createLaneRows } from './lane-rows.ts';
import { createCommitMachine } from './commit-machine.ts';
import { createQuarantine } from './quarantine.ts';
import { createRecover } from './recover.ts';
import { createReplayRows } from './replay-rows.ts';
import { createRetryDeliveries } from './retry-deliveries.ts';
import { createSubjectRows } from './subject-rows.ts';
import { createWaitingDeliveries } from './waiting-deliveries.ts';

type Writes = Inbox &
  LaneQueue &
  Pick<MachineStates, 'commitMachine'> &
  Pick<Replays, 'createReplay' | 'enqueueReplay' | 'finishReplay' | 'retryDeliveries'>;

/** Everything that writes, put together: each call is part of the next group commit. */
export function createWrites(connection: Connection, { write }: Pick<GroupCommit, 'write'>): Writes {
  const lanes = createLaneRows(connection);
  const subjects = createSubjectRows(connection);
  const events = createEventRows(connection);
  const enqueue = createEnqueueDelivery(connection, lanes);
  const quarantine = createQuarantine(connection);
  const waiting = createWaitingDeliveries(connection);
  const clockJumps = createClockJumps(connection);
  const commitMachine = createCommitMachine(connection, { events, enqueue });

  const accept = createAcceptEvent(connection, { events, subjects, quarantine, enqueue });
  const claim = createClaimLanes({ lanes, dueLanes: createDueLanes(connection), waiting, clockJumps });
  const held = createHeldDeliveries(connection, { lanes, waiting, commitMachine });
  const recover = createRecover(connection, clockJumps);
  const replays = createReplayRows(connection, enqueue);
  const retry = createRetryDeliveries(connection, { lanes, waiting });

  return {
    accept: (event, routes, options) => write(() => accept(event, routes, options)),
    quarantine: (rejected) => write(() => quarantine.hold(rejected)),

    recover: () => write(recover),
    claim: (request) => write(() => claim(request)),
    advance: (delivery, end, options) => write(() => held.advance(delivery, end, options)),
    postpone: (delivery, failure) => write(() => held.postpone(delivery, failure)),
    handBack: (delivery, options) => write(() => held.handBack(delivery, options)),

    commitMachine: (source, subject, commit, now) =>
      write(() => commitMachine(subjects.demand(source, subject), commit, { now })),

    createReplay: (replay, now) => write(() => replays.create(replay, now)),
    enqueueReplay: (id, deliveries, options) => write(() => replays.enqueue(id, deliveries, options)),
    finishReplay: (id) => write(() => replays.finish(id)),
    retryDeliveries: (ids, now) => write(() => retry(ids, now)),
  };
}
