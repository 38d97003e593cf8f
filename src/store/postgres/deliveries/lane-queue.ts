/** Deliveries queued by lane, for several processes at once, and what operators do with them. */
import { PortariaError } from '../../../kernel/errors.ts';
import type { LaneQueue, ReadDeliveries } from '../../lane-queue.ts';
import type { ForeignChanges } from '../../foreign-changes.ts';
import { createFailureRows } from '../failures/failure-rows.ts';
import { createLeaseWatch } from '../database/connections/expired-leases.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { markAcknowledged } from '../pauses/acknowledgements.ts';
import type { Connection } from '../sql/connection.ts';
import { transacted } from '../sql/perform.ts';
import { deliveryChanges } from './change-deliveries.ts';
import { claim, type HeldClaim } from './claim.ts';
import { createClockJumps } from './clock-jumps.ts';
import { createFailedAttempts } from './failed-attempts.ts';
import { complete, release, succeed, type HeldFollowing } from './finish.ts';
import { heldDelivery, type HeldDelivery } from './held-delivery.ts';
import { createOrphanedRuns } from './orphaned-runs.ts';
import { createOutcomeWrites } from './outcome-writes.ts';
import { createPausedHeads } from './paused-heads.ts';
import { createReadClaimed } from './read-claimed.ts';
import { goneHolders, takeOver } from './recover.ts';

/** Deliveries queued by lane. */
export interface OpenLaneQueue {
  readonly queue: LaneQueue & Pick<ForeignChanges, 'onTakeOver' | 'onLeaseLost'>;
  /** Writes what waits. Later failed attempts reject. */
  close(): Promise<void>;
}

export function createLaneQueue(connection: Connection, location: string): OpenLaneQueue {
  const { transact, transactLanes, dispatch, read, lease, clock } = connection;
  const paused = createPausedHeads(clock);
  const failures = createFailureRows();
  const runs = createOrphanedRuns(transact, read);
  const leases = createLeaseWatch({ read, transact, clock });
  const clockJumps = createClockJumps();
  const mayStart = (holder: number): boolean =>
    lease !== undefined && lease.isHeld() && lease.holder() === holder;
  const takeOverListeners = new Set<(deliveries: number) => void>();
  const lossListeners = new Set<(holder: number) => void>();
  const claimed = createReadClaimed(connection, { mayStart });
  const outcomes = createOutcomeWrites(connection, location);
  const failedAttempts = createFailedAttempts(connection, { location, failures });

  lease?.listen({
    onLoss(holder) {
      for (const listener of lossListeners) listener(holder);
    },
    async afterHeartbeat() {
      const count = await takeOverFrom([]);
      if (count > 0) for (const listener of takeOverListeners) listener(count);
      startReleasing(lease.holder());
    },
  });

  let releasing: Promise<unknown> | undefined;
  /** The heartbeat does not wait for it, because outcomes may wait 9 s for a lane. When it fails, the next one repeats it. */
  function startReleasing(holder: number): void {
    releasing ??= runs
      .release(holder, clock.now())
      .catch(() => undefined)
      .finally(() => (releasing = undefined));
  }

  /** Takes over from processes that have died, and from these leases. */
  async function takeOverFrom(holders: readonly number[]): Promise<number> {
    const expired = await leases.deleteExpired();
    const now = clock.now();
    let count = 0;
    let taken: number;
    // Again while it takes any: most lanes that it skips are locked for some milliseconds only.
    do {
      const all = [...(await goneHolders(read)), ...holders];
      taken = all.length === 0 ? 0 : await transact((transaction) => takeOver(transaction, all, now));
      count += taken;
    } while (taken > 0);
    await transact(({ session }) => markAcknowledged(session));
    if (expired > 0 || count > 0) {
      // Its clock may have been ahead, and it may have parked heads that nobody else knows of.
      await transact(({ session }) => clockJumps.endProlongedWaits(session, now));
      paused.searchAgain();
    }
    return count;
  }

  async function endProlongedWaits(now: number): Promise<void> {
    if (clockJumps.wentBack(now)) {
      await transact(({ session }) => clockJumps.endProlongedWaits(session, now));
      clockJumps.ended(now);
    } else clockJumps.note(now);
  }

  async function claimOnce(
    request: Parameters<LaneQueue['claim']>[0],
  ): Promise<HeldClaim & { readonly read: ReadDeliveries }> {
    if (lease === undefined) throw guestRejected();
    const holder = await lease.renewed();
    await endProlongedWaits(request.now);
    const toUnpark = await paused.unparkStep(transact, request.now);
    let reading = claimed.read([]);
    const started = await runs.starting(async () => {
      const claims = await dispatch(
        async (transaction) => {
          const found = await claim(transaction, request, { holder, paused });
          // Read while the commit runs: the commit changes no event.
          reading = claimed.read(found.deliveries);
          return found;
        },
        { plansOnce: true },
      );
      runs.add(claims.deliveries);
      runs.add(claims.prefetched);
      return claims;
    });
    if (started.changed) await transact(({ session }) => paused.load(session));
    return { ...started, more: started.more || toUnpark, read: await reading };
  }

  /** Runs a write that ends deliveries, and returns the following ones that it has started. */
  function endAndStart(
    held: readonly HeldDelivery[],
    write: (transaction: Transaction) => Promise<readonly HeldFollowing[]>,
  ): Promise<readonly HeldFollowing[]> {
    return runs.starting(async () => {
      const started = await runs.ending(held, () => outcomes.write(held, write));
      runs.add(started);
      return started;
    });
  }

  const queue: OpenLaneQueue['queue'] = {
    async recover() {
      if (lease === undefined) throw guestRejected();
      // Nothing of this process runs yet.
      const count = await takeOverFrom([lease.holder()]);
      const now = clock.now();
      await transact(({ session }) => clockJumps.endProlongedWaits(session, now));
      clockJumps.ended(now);
      return count;
    },
    onTakeOver(callback) {
      takeOverListeners.add(callback);
      return () => takeOverListeners.delete(callback);
    },
    onLeaseLost(callback) {
      lossListeners.add(callback);
      return () => lossListeners.delete(callback);
    },
    mayStart: ({ holder }) => mayStart(holder),
    async claim(request) {
      let started = await claimOnce(request);
      // In steps, between which others commit: the backlog of a pause may have millions of lanes.
      while (started.more && started.deliveries.length + started.prefetched.length === 0)
        started = await claimOnce(request);
      return {
        ...started.read,
        prefetched: claimed.prefetched(started.prefetched),
        nextDueAt: started.nextDueAt,
      };
    },
    async complete(delivery, end, options) {
      const held = heldDelivery(delivery);
      const followings = await endAndStart([held], (transaction) =>
        complete(transaction, held, end, options, { paused, failures }),
      );
      const [next = null] = await claimed.withEvents(followings);
      return next;
    },
    async succeed(deliveries, options) {
      const held = deliveries.map(heldDelivery);
      if (held.length === 0) return [];
      const followings = await endAndStart(held, (transaction) =>
        succeed(transaction, held, options, { paused }),
      );
      const next = await claimed.withEvents(followings);
      return followings.flatMap(({ at }, index) => {
        const delivery = next[index];
        return delivery === undefined ? [] : [{ at, delivery }];
      });
    },
    async reschedule(delivery, failure) {
      const held = heldDelivery(delivery);
      await runs.ending([held], () => failedAttempts.record(held, failure));
    },
    async release(deliveries, { dueAt }) {
      const held = deliveries.map(heldDelivery);
      const releaseTogether = (some: readonly HeldDelivery[]): Promise<void> =>
        runs.ending(some, () =>
          outcomes.write(some, (transaction) => release(transaction, some, { dueAt, now: clock.now() })),
        );
      if (held.length === 0) return;
      try {
        await releaseTogether(held);
      } catch (error) {
        if (!PortariaError.is(error, 'lane-locked')) throw error;
        await Promise.all(held.map((delivery) => releaseTogether([delivery])));
      }
    },
    abandon(deliveries) {
      runs.abandon(deliveries.map(heldDelivery));
    },
    ...transacted(transactLanes, deliveryChanges),
  };

  return {
    queue,
    async close() {
      await failedAttempts.close();
      await releasing;
    },
  };
}

function guestRejected(): PortariaError {
  return new PortariaError(
    'store-locked',
    'only the owner of a store may claim deliveries: open it as owner',
  );
}
