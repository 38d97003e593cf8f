import type { Ambiguities } from '../ambiguities.ts';
import type { Inbox } from '../inbox.ts';
import type { LaneQueue } from '../lane-queue.ts';
import type { MachineStates } from '../machine-states.ts';
import type { Replays } from '../replays.ts';
import { arrivedEvent, arrivedRejection } from './arrival.ts';
import { heldDelivery } from './held-delivery.ts';
import type { Ids } from './ids.ts';
import { replayBatches } from './replay-batches.ts';
import { claimedDelivery } from './started-delivery.ts';
import type { CommittedOperations } from './writer.ts';

/** Everything of a store that writes. */
export type Writes = Inbox &
  LaneQueue &
  Ambiguities &
  Pick<MachineStates, 'commitMachine'> &
  Pick<Replays, 'createReplay' | 'enqueueReplay' | 'finishReplay' | 'retryDeliveries'>;

/** What the store's interface speaks of as what lies in the tables, and back. */
export function createWrites(operations: CommittedOperations, ids: Ids): Writes {
  return {
    accept: (event, routes, options) => operations.accept(arrivedEvent(event), routes, options),
    quarantine: (rejected) => operations.quarantine(arrivedRejection(rejected)),

    recover: () => operations.recover(),
    async claim(request) {
      const { deliveries, nextDueAt } = await operations.claim(request);
      return { deliveries: deliveries.map((row) => claimedDelivery(row, ids)), nextDueAt };
    },
    async advance(delivery, end, options) {
      const next = await operations.advance(heldDelivery(delivery), end, options);
      return next === null ? null : claimedDelivery(next, ids);
    },
    postpone: (delivery, failure) => operations.postpone(heldDelivery(delivery), failure),
    handBack: (delivery, options) => operations.handBack(heldDelivery(delivery), options),

    settleAmbiguity: (...parameters) => operations.settleAmbiguity(...parameters),
    commitMachine: (source, subject, commit, now) => operations.commitMachine(source, subject, commit, now),

    createReplay: (replay, now) => operations.createReplay(replay, now),
    async enqueueReplay(id, deliveries, options) {
      await operations.enqueueReplay(id, replayBatches(deliveries, ids), options);
    },
    finishReplay: (id) => operations.finishReplay(id),
    retryDeliveries: (ids, now) => operations.retryDeliveries(ids, now),
  };
}
