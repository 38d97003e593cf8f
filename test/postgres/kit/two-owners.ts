import { sql } from 'kysely';
import type pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import {
  deleteLeases,
  HEARTBEAT_MS as LEASE_HEARTBEAT_MS,
} from '../../../src/store/postgres/database/connections/lease.ts';
import { createQueryBuilder } from '../../../src/store/postgres/sql/connection.ts';
import { createSession } from '../../../src/store/postgres/sql/session.ts';
import { manualClock, type ManualClock } from '../../../src/testing/manual-clock.ts';
import type { ClaimedDelivery } from '../../../src/store/lane-queue.ts';
import type { Store } from '../../../src/store/store.ts';
import { route, sampleEvent, type EventSketch } from '../../conformance/sample-event.ts';
import type { StoreKind } from '../../conformance/store-place.ts';
import { eventually } from '../../support/eventually.ts';
import { postgres } from './postgres-places.ts';
import { rawClient } from './raw-client.ts';

/** A process that dispatches, with its own clock. */
export interface Owner {
  readonly store: Store;
  readonly clock: ManualClock;
  accept(sketch: EventSketch, handler?: string): Promise<void>;
  claim(options?: {
    readonly limit?: number;
    readonly handlers?: readonly string[];
    readonly now?: number;
  }): Promise<readonly ClaimedDelivery[]>;
  succeed(delivery: ClaimedDelivery, next?: boolean): Promise<ClaimedDelivery | null>;
  /** Fails an attempt, which is due again after a minute. */
  fail(delivery: ClaimedDelivery, reason?: string): Promise<void>;
}

/** Accepts an event of each subject, and claims their deliveries. */
export async function claimed(
  owner: Owner,
  subjects: readonly string[],
): Promise<readonly ClaimedDelivery[]> {
  for (const id of subjects) await owner.accept({ subject: `company:${id}` });
  const deliveries = await owner.claim({ limit: subjects.length });
  expect(deliveries).toHaveLength(subjects.length);
  return deliveries;
}

export interface TwoOwners {
  readonly first: Owner;
  readonly second: Owner;
  readonly client: pg.Client;
  /** Ends the lease of an owner that is frozen, or was killed, as another process does. */
  endLease(lost: Owner): Promise<void>;
  /** Ends the lease of an owner; the other one takes over. */
  takeOverFrom(lost: Owner): Promise<void>;
  /** Has an owner renew the lease that it holds, and do what follows a heartbeat. */
  renewLease(owner: Owner): Promise<void>;
  /** The next heartbeat of an owner, which draws a new lease when the old one is gone. */
  beat(owner: Owner): Promise<void>;
}

/** The handler of events for which a test names none. */
export const HANDLER = 'anyone';

/** Milliseconds after which each owner has had a heartbeat. */
const HEARTBEAT_MS = 2_000;

/** Opens one database as two owners; closed and removed when the test ends. */
export async function openTwoOwners(kind: StoreKind = postgres): Promise<TwoOwners> {
  const place = await kind.place();
  onTestFinished(() => place.remove());
  const first = await openOwner();
  const second = await openOwner();
  const client = await rawClient(first.store);
  const leaseOf = new Map<Owner, number>();
  const leases = async () => {
    const { rows } = await client.query<{ holder: string }>('select holder from leases order by holder');
    return rows.map(({ holder }) => Number(holder));
  };
  const [one = 0, two = 0] = await leases();
  leaseOf.set(first, one).set(second, two);

  async function openOwner(): Promise<Owner> {
    const clock = manualClock();
    const store = await place.open('owner', clock);
    onTestFinished(() => store.close());
    return {
      store,
      clock,
      async accept(sketch, handler = HANDLER) {
        await store.accept(sampleEvent({ receivedAt: clock.now(), ...sketch }), [route(handler)]);
      },
      async claim({ limit = 100, handlers = [HANDLER], now = clock.now() } = {}) {
        return (await store.claim({ now, limit, handlers })).deliveries;
      },
      async succeed(delivery, next = false) {
        const following = await store.complete(delivery, { status: 'succeeded' }, { now: clock.now(), next });
        if (following?.event === null) throw new Error(following.reason);
        return following;
      },
      async fail(delivery, reason = 'down') {
        const now = clock.now();
        await store.reschedule(delivery, { now, dueAt: now + 60_000, reason, durationMs: 1 });
      },
    };
  }

  async function runningUnder(holder: number): Promise<number> {
    const { rows } = await client.query<{ running: string }>(
      'select count(*) as running from deliveries where holder = $1',
      [holder],
    );
    return Number(rows[0]?.running);
  }

  /** The rule when a lease ends has tests of its own. */
  async function endLease(lost: Owner): Promise<void> {
    const session = createSession(client, createQueryBuilder());
    await deleteLeases(session, sql<boolean>`holder = ${leaseOf.get(lost) ?? 0}`);
  }

  async function lastHeartbeat(): Promise<string | undefined> {
    const { rows } = await client.query<{ at: string }>('select max(seen_at)::text as at from leases');
    return rows[0]?.at;
  }

  return {
    first,
    second,
    client,
    async renewLease({ clock }) {
      const before = await lastHeartbeat();
      await eventually('the next heartbeat is scheduled', () => clock.untilNext !== null);
      clock.advance(LEASE_HEARTBEAT_MS);
      await eventually('the lease is renewed', async () => (await lastHeartbeat()) !== before);
    },
    endLease,
    async takeOverFrom(lost) {
      await endLease(lost);
      const other = lost === first ? second : first;
      await eventually('nothing runs under the lease', async () => {
        other.clock.advance(HEARTBEAT_MS);
        return (await runningUnder(leaseOf.get(lost) ?? 0)) === 0;
      });
    },
    async beat(owner) {
      const known = [...leaseOf.values()];
      const had = leaseOf.get(owner) ?? 0;
      const wasLost = !(await leases()).includes(had);
      if (!wasLost) return;
      const drawn = await eventually('a new lease is drawn, and its owner knows it', async () => {
        owner.clock.advance(HEARTBEAT_MS);
        const found = (await leases()).find((holder) => !known.includes(holder));
        const key = { id: 'd1', handler: HANDLER, lane: '1', holder: found ?? 0, start: 1, replay: null };
        return owner.store.mayStart(key) && found;
      });
      leaseOf.set(owner, drawn);
    },
  };
}
