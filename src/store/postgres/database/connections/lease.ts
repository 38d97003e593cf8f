/** The lease of a process: its right to run deliveries, renewed by heartbeats. */
import { hostname } from 'node:os';
import { sql, type RawBuilder } from 'kysely';
import { PortariaError } from '../../../../kernel/errors.ts';
import type { Cancel, Clock } from '../../../../kernel/time/clock.ts';
import { isFollowing } from '../../../../kernel/time/following-clock.ts';
import { databaseTime, type DatabaseClock } from './database-clock.ts';
import type { Session } from '../../sql/session.ts';
import { newestLevel } from '../tables/migrations.ts';
import { readSchemaLevel, requireKnownLevel } from '../tables/schema-level.ts';

/** Milliseconds without a heartbeat after which a process has lost its lease, by the clocks of the others. */
export const LEASE_MS = 8_000;
/** Milliseconds between two heartbeats. */
export const HEARTBEAT_MS = 1_500;
/** A process gives up its lease by its own clock this long before others may take it, in milliseconds. */
const MARGIN_MS = 2_000;

/** Whether the process of a lease was seen lately. */
export const isLive = sql<boolean>`seen_at >= clock_timestamp() - ${LEASE_MS} * interval '1 millisecond'`;

/** Returns the processes that were seen lately, the longest-serving first, each with the level that it works on. */
export function readLiveProcesses(session: Session): Promise<readonly LiveProcess[]> {
  return session.rows(sql<LiveProcess>`select host, pid, level from leases where ${isLive} order by holder`);
}

interface LiveProcess {
  readonly host: string;
  readonly pid: number;
  readonly level: number;
}

/**
 * The right of a process to run deliveries. A delivery in flight names the lease, and every outcome is written only
 * while it does: whoever has lost its lease changes nothing any more.
 */
export interface Lease {
  /** The number of the lease. After a loss it stays until the next heartbeat draws another: ask {@link isValid}. */
  holder(): number;
  /** Returns the number of the lease, after a heartbeat if the lease is not valid for sure. */
  renewed(): Promise<number>;
  /** Whether the lease is valid for sure, by this machine's own clocks: after a freeze it is not. */
  isValid(): boolean;
  /** Whether this process is the one that does periodic work: the one with the oldest lease. */
  leads(): boolean;
  /** Whether other processes had a lease at the last heartbeat. */
  hasOthers(): boolean;
  /** Adds a listener. */
  listen(listener: LeaseListener): void;
  /** Ends the heartbeats, and gives the lease back. */
  end(): Promise<void>;
}

export interface LeaseListener {
  /** Called after each heartbeat, to take over from processes that have died. */
  readonly afterHeartbeat?: () => Promise<void>;
  /** Called after each heartbeat that fails. */
  readonly onMissedHeartbeat?: () => void;
  /** Called at once when the lease was lost, with its number: others have ended it. */
  readonly onLoss?: (holder: number) => void;
  /** Called when the lease was lost, and another one was drawn. Called again when it fails. */
  readonly afterLoss?: () => Promise<void>;
}

interface Drawn {
  readonly holder: number;
  readonly leads: boolean;
  readonly others: boolean;
}

export interface LeaseOptions {
  readonly session: Session;
  readonly clock: Clock;
  /** Is told the database's time at each heartbeat. */
  readonly databaseClock: DatabaseClock;
  /** The address of the database, without the password. */
  readonly location: string;
  /** The store id that this process gives to new events. */
  readonly storeId: string;
  /** The newest level of tables that this process knows; that of this version by default. */
  readonly level?: number;
  /** Called once when the tables or the store id have changed so that this process may not use the store any more. */
  readonly onFatal?: ((error: PortariaError) => void) | undefined;
}

export async function acquireLease({
  session,
  clock,
  databaseClock,
  location,
  storeId,
  level = newestLevel,
  onFatal,
}: LeaseOptions): Promise<Lease> {
  let holder = 0;
  const { machine } = isFollowing(clock) ? clock : { machine: clock };
  let seenAt = { monotonic: -Infinity, wall: -Infinity };
  let leads = false;
  let others = false;
  let ended = false;
  let listeners: readonly LeaseListener[] = [];
  /** Listeners to tell that the lease was lost. */
  let toTell: readonly LeaseListener[] = [];
  let isReported = false;
  let cancel: Cancel = () => undefined;
  let beating: Promise<void> = Promise.resolve();

  /** One heartbeat at a time: two would draw two leases. */
  let beats: Promise<void> | undefined;
  function beat(): Promise<void> {
    beats ??= beatOnce().finally(() => {
      beats = undefined;
    });
    return beats;
  }

  async function beatOnce(): Promise<void> {
    // Before the statement: the lease lasts from when the database saw it, which is later.
    const before = { monotonic: clock.monotonic(), wall: machine.now() };
    const renewed = await databaseClock.read(() => renew(holder));
    const row = renewed ?? (await draw());
    const lost = renewed === undefined && holder > 0 ? holder : null;
    holder = row.holder;
    leads = row.leads;
    others = row.others;
    seenAt = before;
    if (lost !== null) {
      toTell = listeners;
      for (const listener of listeners) listener.onLoss?.(lost);
    }
    for (const listener of toTell) {
      await listener.afterLoss?.();
      toTell = toTell.filter((one) => one !== listener);
    }
  }

  async function afterHeartbeat(): Promise<void> {
    for (const listener of listeners) await listener.afterHeartbeat?.();
  }

  /** The next heartbeat does not wait for what follows this one: it may wait for locks, longer than a lease lasts. */
  let following: Promise<void> | undefined;
  function startFollowing(): void {
    following ??= afterHeartbeat()
      .catch(() => undefined)
      .finally(() => {
        following = undefined;
      });
  }

  /** A process that was frozen while the tables changed may be too old for them, and the id may be another. */
  async function renew(lease: number): Promise<(Drawn & { time: number }) | undefined> {
    return session.first(
      sql<Drawn & { time: number }>`
        update leases set seen_at = clock_timestamp()
        where holder = ${lease} and level >= (select max(works_with) from migrations)
          and (select installation from store) = ${storeId}
        returning holder, not exists (select from leases as older where older.holder < ${lease}) as leads,
          exists (select from leases as other where other.holder <> ${lease}) as others,
          ${databaseTime} as time`,
    );
  }

  async function draw(): Promise<Drawn> {
    const drawn = await session.first(
      sql<Drawn>`
        insert into leases (host, pid, level) values (${hostname()}, ${process.pid}, ${level})
        returning holder, not exists (select from leases) as leads, exists (select from leases) as others`,
    );
    const row = drawn ?? { holder: 0, leads: false, others: false };
    try {
      // After the lease: a migration that did not see it has ended.
      await requireKnownStore();
    } catch (error) {
      await deleteLeases(session, sql<boolean>`holder = ${row.holder}`);
      throw error;
    }
    return row;
  }

  /** No later heartbeat changes what this finds: a process that was frozen meanwhile has to end. */
  async function requireKnownStore(): Promise<void> {
    try {
      requireKnownLevel(await readSchemaLevel(session), level);
      await requireStoreId();
    } catch (error) {
      if (holder > 0 && !isReported && PortariaError.is(error)) {
        isReported = true;
        onFatal?.(error);
      }
      throw error;
    }
  }

  /** This process would give new events the former store id. */
  async function requireStoreId(): Promise<void> {
    const row = await session.first(sql<{ id: string }>`select installation as id from store`);
    if (row === undefined || row.id === storeId) return;
    throw new PortariaError(
      'store-locked',
      `the store id of ${location} was renewed after this process had read it: start it again`,
    );
  }

  function schedule(): void {
    cancel = clock.after(HEARTBEAT_MS, () => {
      beating = beat()
        .then(startFollowing)
        // The lease runs out by itself when the database cannot be reached.
        .catch(() => {
          for (const listener of listeners) listener.onMissedHeartbeat?.();
        })
        .then(() => {
          if (!ended) schedule();
        });
    });
  }

  await beat();
  schedule();
  /** The wall clock, too: the monotonic clock of many machines stands still while they sleep. */
  const isValid = (): boolean =>
    !ended &&
    clock.monotonic() - seenAt.monotonic < LEASE_MS - MARGIN_MS &&
    machine.now() - seenAt.wall < LEASE_MS - MARGIN_MS;

  return {
    holder: () => holder,
    isValid,
    async renewed() {
      if (!isValid()) await beat();
      return holder;
    },
    // A process that was frozen may have a successor.
    leads: () => leads && isValid(),
    hasOthers: () => others,
    listen(listener) {
      listeners = [...listeners, listener];
    },
    async end() {
      ended = true;
      cancel();
      await beating;
      await following;
      await deleteLeases(session, sql<boolean>`holder = ${holder}`).catch(() => 0);
    },
  };
}

/** Deletes leases, and what their processes have recorded of themselves. Returns the number of leases. */
export function deleteLeases(session: Session, condition: RawBuilder<boolean>): Promise<number> {
  return session.run(sql`
    with ended as (
      delete from leases where ${condition} returning holder
    ), breakers as (
      delete from open_breakers where holder in (select holder from ended)
    ), acknowledgements as (
      delete from pause_acknowledgements where holder in (select holder from ended)
    )
    select holder from ended`);
}
