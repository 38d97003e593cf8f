import type { Ambiguities } from '../ambiguities.ts';
import type { Inbox } from '../inbox.ts';
import type { ClaimedDelivery, LaneQueue } from '../lane-queue.ts';
import type { MachineStates } from '../machine-states.ts';
import type { Replays } from '../replays.ts';
import { arrivedEvent, arrivedRejection } from './arrival.ts';
import { claimedAhead } from './claimed-ahead.ts';
import { createClaimedDeliveries } from './claimed-deliveries.ts';
import type { Connection } from './connection.ts';
import { createFittingEvents } from './fitting-events.ts';
import type { HeldDelivery } from './held-deliveries.ts';
import { heldDelivery } from './held-delivery.ts';
import { rowOf } from './ids.ts';
import type { Onward } from './move-lane-on.ts';
import { replayBatches } from './replay-batches.ts';
import type { StartedDelivery } from './started-delivery.ts';
import { storeError } from './store-error.ts';
import type { Following } from './succeeded-deliveries.ts';
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
  const { clock } = connection;
  const withEvents = createClaimedDeliveries(connection);
  const fitting = createFittingEvents(connection);

  /**
   * Nobody would run before the next start what is claimed and cannot be read:
   * it is given back, and what was claimed with it and nobody has been told of.
   */
  async function claimed(
    started: readonly StartedDelivery[],
    withThem: readonly StartedDelivery[] = [],
  ): Promise<readonly ClaimedDelivery[]> {
    try {
      return withEvents(started);
    } catch (error) {
      onUnreadable(error);
      const dueAt = clock.now();
      const all = [...started, ...withThem];
      const ids = JSON.stringify(all.map((row) => row.delivery_id));
      await operations.handBack(ids, { dueAt }).catch(() => undefined);
      throw storeError(error, connection.database.name);
    }
  }

  /** What was to be ended has ended, whatever becomes of the next one. */
  async function following(started: StartedDelivery): Promise<ClaimedDelivery | null> {
    const [delivery] = await claimed([started]).catch(() => []);
    return delivery ?? null;
  }

  /** One by itself takes the operation that is made for one. */
  async function endTogether(all: readonly HeldDelivery[], onward: Onward): Promise<readonly Following[]> {
    const [first, ...others] = all;
    if (first === undefined) return [];
    if (others.length === 0) {
      const started = await operations.advance(first, { status: 'succeeded' }, onward);
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
      const ahead = deliveries.slice(request.limit);
      return {
        deliveries: await claimed(deliveries.slice(0, request.limit), ahead),
        ahead: claimedAhead(ahead, fitting, (started) => claimed(started)),
        nextDueAt,
      };
    },
    advance(delivery, end, options) {
      return operations
        .advance(heldDelivery(delivery), end, options)
        .then((started) => (started === null ? null : following(started)));
    },
    async succeed(deliveries, options) {
      const followings = await endTogether(deliveries.map(heldDelivery), options);
      if (followings.length === 0) return [];
      const next = await claimed(followings.map(({ started }) => started)).catch(() => []);
      return followings.flatMap(({ at }, place) => {
        const delivery = next[place];
        return delivery === undefined ? [] : [{ at, delivery }];
      });
    },
    postpone: (delivery, failure) => operations.postpone(heldDelivery(delivery), failure),
    handBack(deliveries, options) {
      const ids = deliveries.map(({ id }) => rowOf('d', id) ?? 0);
      return operations.handBack(JSON.stringify(ids), options);
    },

    settleAmbiguity: (...parameters) => operations.settleAmbiguity(...parameters),
    commitMachine: (source, subject, commit, now) => operations.commitMachine(source, subject, commit, now),

    createReplay: (replay, now) => operations.createReplay(replay, now),
    async enqueueReplay(id, deliveries, options) {
      await operations.enqueueReplay(id, replayBatches(deliveries), options);
    },
    finishReplay: (id) => operations.finishReplay(id),
    retryDeliveries: (ids, now) => operations.retryDeliveries(ids, now),
  };
}
