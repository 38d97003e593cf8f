/** Deliveries queued by lane, for several processes at once, and what operators do with them. Ends waits that a step back of the clock would prolong. */
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
import { claim, type ClaimedRows } from './claim.ts';
import { createFailedAttempts } from './failed-attempts.ts';
import { complete, release, succeed, type StartedFollowing } from './finish.ts';
import { ownedDelivery, type OwnedDelivery } from './owned-delivery.ts';
import { createOrphanedRuns } from './orphaned-runs.ts';
import { createOutcomeWrites } from './outcome-writes.ts';
import { createPausedHeads } from './paused-heads.ts';
import { createReadClaimed } from './read-claimed.ts';
import { goneOwners, takeOver } from './recover.ts';
import { sql } from 'kysely';
import { TOLERATED_MS } from '../../shared/deliveries/due-time.ts';
import { HEAD } from '../../shared/deliveries/head-values.ts';
import { isLockedAs } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** Deliveries queued by lane. */
export interface OpenLaneQueue {
  readonly queue: LaneQueue & Pick<ForeignChanges, 'onTakeOver' | 'onLeaseLost'>;
  /** Writes what waits. Later failed attempts reject. */
  close(): Promise<void>;
}

export function createLaneQueue(connection: Connection, location: string): OpenLaneQueue {
  const { transact, transactLanes, dispatch, read, lease, clock, ids } = connection;
  const paused = createPausedHeads(clock);
  const failures = createFailureRows();
  const runs = createOrphanedRuns(transact, read);
  const leases = createLeaseWatch({ read, transact, clock });
  const clockJumps = createClockJumps();
  const mayStart = (holder: number): boolean =>
    lease !== undefined && lease.isValid() && lease.holder() === holder;
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
      const all = [...(await goneOwners(read)), ...holders];
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
  ): Promise<ClaimedRows & { readonly read: ReadDeliveries }> {
    if (lease === undefined) throw guestRejected();
    const holder = await lease.renewed();
    await endProlongedWaits(request.now);
    const toUnpark = await paused.unparkStep(transact, request.now);
    let reading = claimed.read([]);
    const started = await runs.starting(async () => {
      const claims = await dispatch(
        async (transaction) => {
          const found = await claim(transaction, request, { holder, paused, ids });
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
    owned: readonly OwnedDelivery[],
    write: (transaction: Transaction) => Promise<readonly StartedFollowing[]>,
  ): Promise<readonly StartedFollowing[]> {
    return runs.starting(async () => {
      const started = await runs.ending(owned, () => outcomes.write(owned, write));
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
      const superseded = [...started.superseded];
      // In steps, between which others commit: the backlog of a pause may have millions of lanes.
      while (started.more && started.deliveries.length + started.prefetched.length === 0) {
        started = await claimOnce(request);
        superseded.push(...started.superseded);
      }
      return {
        ...started.read,
        prefetched: claimed.prefetched(started.prefetched),
        superseded,
        nextDueAt: started.nextDueAt,
      };
    },
    async complete(delivery, end, options) {
      const owned = ownedDelivery(delivery);
      const followings = await endAndStart([owned], (transaction) =>
        complete(transaction, owned, end, options, { paused, failures }),
      );
      const [next = null] = await claimed.withEvents(followings);
      return next;
    },
    async succeed(deliveries, options) {
      const owned = deliveries.map(ownedDelivery);
      if (owned.length === 0) return [];
      const followings = await endAndStart(owned, (transaction) =>
        succeed(transaction, owned, options, { paused }),
      );
      const next = await claimed.withEvents(followings);
      return followings.flatMap(({ at }, index) => {
        const delivery = next[index];
        return delivery === undefined ? [] : [{ at, delivery }];
      });
    },
    async reschedule(delivery, failure) {
      const owned = ownedDelivery(delivery);
      await runs.ending([owned], () => failedAttempts.record(owned, failure));
    },
    async release(deliveries, options) {
      const owned = deliveries.map(ownedDelivery);
      const releaseTogether = (some: readonly OwnedDelivery[]): Promise<void> =>
        runs.ending(some, () =>
          outcomes.write(some, (transaction) => release(transaction, some, { ...options, now: clock.now() })),
        );
      if (owned.length === 0) return;
      try {
        await releaseTogether(owned);
      } catch (error) {
        if (!PortariaError.is(error, 'lane-locked')) throw error;
        await Promise.all(owned.map((delivery) => releaseTogether([delivery])));
      }
    },
    abandon(deliveries) {
      runs.abandon(deliveries.map(ownedDelivery));
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

/**
 * Ends waits that a step back of this process's wall clock would prolong, as in the store in SQLite.
 *
 * A wait runs from `asked_at` to `due_at`. A clock that reads less than `asked_at` went back, so the time waited is
 * unknown. The wait then ends: an early retry does less harm than one hours late.
 *
 * The check runs when the clock was seen to go back, at the start, and after a process has died, whose clock may
 * have been ahead. It does not run because of `asked_at` alone: clocks of several machines always differ a little.
 */
interface ClockJumps {
  /** Records that a wait was decided at this time. */
  note(now: number): void;
  /** Whether the clock was seen to go back. */
  wentBack(now: number): boolean;
  /** Ends the waits decided in the future. */
  endProlongedWaits(session: Session, now: number): Promise<void>;
  /** To be called after the commit that ended waits. */
  ended(now: number): void;
}

function createClockJumps(): ClockJumps {
  let highest = -Infinity;
  return {
    note(now) {
      highest = Math.max(highest, now);
    },
    wentBack: (now) => now < highest - TOLERATED_MS,
    async endProlongedWaits(session, now) {
      const latest = now + TOLERATED_MS;
      // `due_at` is never before `asked_at`, so the index on it finds all candidates.
      await session.run(sql`
        update deliveries set due_at = ${now}, asked_at = ${now}
        where ${isLockedAs(sql`
          select heads.id from (select distinct handler from delivery_counts) as counted
          cross join lateral (
            select id from deliveries
            where head = ${sql.lit(HEAD)} and deliveries.handler = counted.handler and due_at > ${latest} and asked_at > ${latest}
            for update skip locked
          ) as heads`)}`);
    },
    ended(now) {
      highest = now;
    },
  };
}
