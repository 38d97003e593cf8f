/**
 * The writes of a store: each method is an operation (write-operations.ts) that a writer (writer.ts) commits. What
 * differs is converted here: rows to deliveries, and lists to the JSON that SQLite reads as it is.
 */
import type { Acceptance, Inbox } from '../../inbox.ts';
import type { DeliveryKey, LaneQueue } from '../../lane-queue.ts';
import type { Replays } from '../../replays.ts';
import { inFlightDelivery, type InFlightDelivery } from '../../shared/deliveries/claimed-delivery.ts';
import { arrivedEvent, arrivedRejection } from '../../shared/events/arrival.ts';
import { rowOf } from '../../shared/ids.ts';
import { replayBatches } from '../deliveries/enqueue-batch.ts';
import type { StartedFollowing } from '../deliveries/finish.ts';
import type { ProceedOptions } from '../deliveries/lanes.ts';
import { createReadClaimed } from '../deliveries/read-claimed.ts';
import type { Connection } from '../sql/connection.ts';
import type { CommittedOperations } from './writer.ts';

/** The writes that are more than their operation. */
type OwnWrites = Inbox &
  Pick<LaneQueue, 'claim' | 'complete' | 'succeed' | 'reschedule' | 'release' | 'abandon'> &
  Pick<Replays, 'enqueueReplay'>;

/** Implements the writing part of a store: converts between its types and rows. */
export function createWrites(
  operations: CommittedOperations,
  connection: Connection,
  /** Receives the error when the events of claimed deliveries cannot be read. */
  onUnreadable: (error: unknown) => void,
) {
  const claimed = createReadClaimed(connection, onUnreadable);

  /** The row numbers of deliveries in flight whose end could not be recorded. */
  let abandoned: number[] = [];

  /** Never rejects: a delivery that cannot be released must not keep others from being claimed. */
  async function releaseAbandoned(): Promise<void> {
    const ids = abandoned;
    // Another claim at the same time must not release what this one then starts.
    abandoned = [];
    try {
      await operations.release(JSON.stringify(ids), { dueAt: connection.clock.now() });
    } catch {
      abandoned.push(...ids);
    }
  }

  /** A single delivery takes the operation for one, which costs less. */
  async function succeedTogether(
    all: readonly InFlightDelivery[],
    options: ProceedOptions,
  ): Promise<readonly StartedFollowing[]> {
    const [first, ...others] = all;
    if (first === undefined) return [];
    if (others.length === 0) {
      const started = await operations.complete(first, { status: 'succeeded' }, options);
      return started === null ? [] : [{ at: 0, started }];
    }
    const { handler, replayId } = first;
    const ids = JSON.stringify(all.map(({ id }) => id));
    const lanes = JSON.stringify(all.map(({ lane }) => lane));
    return operations.succeed({ handler, replayId, ids, lanes, count: all.length }, options);
  }

  const own: OwnWrites = {
    // Only who says what was seen is told that it moved.
    accept: (event, routes, options) =>
      operations.accept(arrivedEvent(event), routes, options) as Promise<Acceptance>,
    acceptUnlessMoved: (event, routes, options) => operations.accept(arrivedEvent(event), routes, options),
    fillReconciled: (id, webhook, filling) => operations.fillReconciled(id, arrivedEvent(webhook), filling),
    quarantine: (rejected) => operations.quarantine(arrivedRejection(rejected)),

    async claim(request) {
      if (abandoned.length > 0) await releaseAbandoned();
      let claim = await operations.claim(request);
      const superseded = [...claim.superseded];
      // In steps, between which others commit: the backlog of a pause may have millions of lanes.
      while (claim.more && claim.deliveries.length === 0) {
        claim = await operations.claim(request);
        superseded.push(...claim.superseded);
      }
      const { deliveries, nextDueAt } = claim;
      return {
        ...claimed.read(deliveries.slice(0, request.limit)),
        prefetched: claimed.prefetched(deliveries.slice(request.limit)),
        superseded,
        nextDueAt,
      };
    },
    complete(delivery, end, options) {
      return operations
        .complete(inFlightDelivery(delivery), end, options)
        .then((started) => (started === null ? null : (claimed.withEvents([started])[0] ?? null)));
    },
    async succeed(deliveries, options) {
      const followings = await succeedTogether(deliveries.map(inFlightDelivery), options);
      if (followings.length === 0) return [];
      const next = claimed.withEvents(followings.map(({ started }) => started));
      return followings.flatMap(({ at }, index) => {
        const delivery = next[index];
        return delivery === undefined ? [] : [{ at, delivery }];
      });
    },
    reschedule: (delivery, failure) => operations.reschedule(inFlightDelivery(delivery), failure),
    release(deliveries, options) {
      return operations.release(JSON.stringify(rowsOf(deliveries)), options);
    },
    abandon(deliveries) {
      abandoned.push(...rowsOf(deliveries));
    },

    async enqueueReplay(id, deliveries, options) {
      await operations.enqueueReplay(id, replayBatches(deliveries), options);
    },
  };
  // Every other write takes and returns what its operation does.
  const { probe: _probe, ...alike } = operations;
  return { ...alike, ...own };
}

function rowsOf(deliveries: readonly DeliveryKey[]): readonly number[] {
  return deliveries.map(({ id }) => rowOf('d', id) ?? 0);
}
