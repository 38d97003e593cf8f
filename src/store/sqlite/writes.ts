import type { Inbox } from '../inbox.ts';
import type { LaneQueue } from '../lane-queue.ts';
import type { MachineStates } from '../machine-states.ts';
import type { Replays } from '../replays.ts';
import { createAcceptEvent } from './accept-event.ts';
import { createClaimDeliveries } from './claim-deliveries.ts';
import { createClockJumps } from './clock-jumps.ts';
import { createCommitMachine } from './commit-machine.ts';
import type { Connection } from './connection.ts';
import { createDueDeliveries } from './due-deliveries.ts';
import { createEnqueueDelivery } from './enqueue-delivery.ts';
import { createEventRows } from './event-rows.ts';
import { createHeldDeliveries } from './held-deliveries.ts';
import { createQuarantine } from './quarantine.ts';
import { createRecover } from './recover.ts';
import { createReplayRows } from './replay-rows.ts';
import { createRetryDeliveries } from './retry-deliveries.ts';
import { createRowCounts } from './row-counts.ts';
import { createStartDelivery } from './start-delivery.ts';
import { createSubjectRows } from './subject-rows.ts';
import type { TransactionPart } from './transaction-part.ts';
import { createWaitingDeliveries } from './waiting-deliveries.ts';

/** Everything of a store that writes. */
export type Writes = Inbox &
  LaneQueue &
  Pick<MachineStates, 'commitMachine'> &
  Pick<Replays, 'createReplay' | 'enqueueReplay' | 'finishReplay' | 'retryDeliveries'>;

/** The same, to be called inside a transaction: at once, and throwing what the promise would reject with. */
export type WritesNow = {
  readonly [Name in keyof Writes]: (
    ...parameters: Parameters<Writes[Name]>
  ) => Awaited<ReturnType<Writes[Name]>>;
};

/** Everything that writes, put together, and what of it follows the fate of transactions. */
export function createWritesNow(connection: Connection): {
  readonly writes: WritesNow;
  readonly parts: readonly TransactionPart[];
} {
  const counts = createRowCounts(connection);
  const clockJumps = createClockJumps(connection);
  const subjects = createSubjectRows(connection);
  const events = createEventRows(connection, counts);
  const quarantine = createQuarantine(connection);
  const waiting = createWaitingDeliveries(connection, clockJumps);
  const start = createStartDelivery(connection, counts);
  const enqueue = createEnqueueDelivery(connection, { waiting, counts, clockJumps });
  const commitMachine = createCommitMachine(connection, { events, enqueue });
  const held = createHeldDeliveries(connection, { waiting, start, counts, commitMachine });
  const replays = createReplayRows(connection, enqueue);

  const writes: WritesNow = {
    accept: createAcceptEvent(connection, { events, subjects, quarantine, enqueue }),
    quarantine: (rejected) => quarantine.hold(rejected),

    recover: createRecover(connection, { waiting, counts, clockJumps }),
    claim: createClaimDeliveries({ due: createDueDeliveries(connection), start, clockJumps }),
    advance: (delivery, end, options) => held.advance(delivery, end, options),
    postpone: (delivery, failure) => {
      held.postpone(delivery, failure);
    },
    handBack: (delivery, options) => {
      held.handBack(delivery, options);
    },

    commitMachine: (source, subject, commit, now) => {
      commitMachine(subjects.demand(source, subject), commit, { now });
    },

    createReplay: (replay, now) => replays.create(replay, now),
    enqueueReplay: (id, deliveries, options) => {
      replays.enqueue(id, deliveries, options);
    },
    finishReplay: (id) => {
      replays.finish(id);
    },
    retryDeliveries: createRetryDeliveries(connection, { waiting, counts }),
  };
  return { writes, parts: [counts, clockJumps] };
}
