import type { Ambiguities } from '../../ambiguities.ts';
import type { Inbox } from '../../inbox.ts';
import type { LaneQueue, ReadDeliveries } from '../../lane-queue.ts';
import type { MachineStates } from '../../machine-states.ts';
import type { Replays } from '../../replays.ts';
import { arrivedEvent, arrivedRejection } from '../events/arrival.ts';
import { prefetched } from '../deliveries/prefetched.ts';
import { createClaimedDeliveries } from '../deliveries/claimed-deliveries.ts';
import type { Connection } from '../sql/connection.ts';
import { createFittingEvents } from '../deliveries/fitting-events.ts';
import type { HeldDelivery } from '../deliveries/held-deliveries.ts';
import { heldDelivery } from '../deliveries/held-delivery.ts';
import { rowOf } from '../sql/ids.ts';
import type { Onward } from '../deliveries/advance-lane.ts';
import { replayBatches } from '../replays/replay-batches.ts';
import type { StartedDelivery } from '../deliveries/started-delivery.ts';
import type { Following } from '../deliveries/succeeded-deliveries.ts';
import type { CommittedOperations } from './writer.ts';

/** Everything of a store that writes. */
export type Writes = Inbox &
  LaneQueue &
  Ambiguities &
  Pick<MachineStates, 'commitMachine'> &
  Pick<Replays, 'createReplay' | 'enqueueReplay' | 'finishReplay' | 'retryDeliveries'>;

/** What the store's interface speaks of as what lies in the tables, and back. */
export function createWrites(
  operations: CommittedOperations,
  connection: Connection,
  /** Told what was thrown when the events of claimed deliveries could not be read. */
  onUnreadable: (error: unknown) => void,
): Writes {
  const withEvents = createClaimedDeliveries(connection, onUnreadable);
  const fitting = createFittingEvents(connection);

  function read(started: readonly StartedDelivery[]): ReadDeliveries {
    const all = withEvents(started);
    const deliveries = all.filter((one) => one.event !== null);
    return { deliveries, unread: all.filter((one) => one.event === null) };
  }

  /** One by itself takes the operation that is made for one. */
  async function endTogether(all: readonly HeldDelivery[], onward: Onward): Promise<readonly Following[]> {
    const [first, ...others] = all;
    if (first === undefined) return [];
    if (others.length === 0) {
      const started = await operations.complete(first, { status: 'succeeded' }, onward);
      return started === null ? [] : [{ at: 0, started }];
    }
    const { handler, replayId } = first;
    const ids = JSON.stringify(all.map(({ id }) => id));
    const lanes = JSON.stringify(all.map(({ lane }) => lane));
    return operations.succeed({ handler, replayId, ids, lanes, count: all.length }, onward);
  }

  return {
    accept: (event, routes, options) => operations.accept(arrivedEvent(event), routes, options),
    quarantine: (rejected) => operations.quarantine(arrivedRejection(rejected)),

    recover: () => operations.recover(),
    async claim(request) {
      const { deliveries, nextDueAt } = await operations.claim(request);
      return {
        ...read(deliveries.slice(0, request.limit)),
        prefetched: prefetched(deliveries.slice(request.limit), fitting, read),
        nextDueAt,
      };
    },
    complete(delivery, end, options) {
      return operations
        .complete(heldDelivery(delivery), end, options)
        .then((started) => (started === null ? null : (withEvents([started])[0] ?? null)));
    },
    async succeed(deliveries, options) {
      const followings = await endTogether(deliveries.map(heldDelivery), options);
      if (followings.length === 0) return [];
      const next = withEvents(followings.map(({ started }) => started));
      return followings.flatMap(({ at }, place) => {
        const delivery = next[place];
        return delivery === undefined ? [] : [{ at, delivery }];
      });
    },
    reschedule: (delivery, failure) => operations.reschedule(heldDelivery(delivery), failure),
    release(deliveries, options) {
      const ids = deliveries.map(({ id }) => rowOf('d', id) ?? 0);
      return operations.release(JSON.stringify(ids), options);
    },

    resolveAmbiguity: (...parameters) => operations.resolveAmbiguity(...parameters),
    commitMachine: (source, subject, commit, now) => operations.commitMachine(source, subject, commit, now),

    createReplay: (replay, now) => operations.createReplay(replay, now),
    async enqueueReplay(id, deliveries, options) {
      await operations.enqueueReplay(id, replayBatches(deliveries), options);
    },
    finishReplay: (id) => operations.finishReplay(id),
    retryDeliveries: (ids, now) => operations.retryDeliveries(ids, now),
  };
}
