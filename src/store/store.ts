/** The interface of a store, put together from its chapters. */
import type { Random } from '../kernel/random.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { AuditLog, EndedSessions, NewAuditEntry } from './audit.ts';
import type { StoreCheck } from './checks.ts';
import type { Ambiguities, Inbox, Recognitions } from './inbox.ts';
import type { ForeignChanges } from './foreign-changes.ts';
import type { Failures, Plans } from './plans.ts';
import type { Jobs } from './jobs.ts';
import type { LaneQueue, LaneReads } from './lane-queue.ts';
import type { MachineOverview, MachineStates } from './machine-states.ts';
import type { Processes } from './processes.ts';
import type { Privacy } from './privacy.ts';
import type { Monitoring } from './monitoring.ts';
import type { Pauses } from './pauses.ts';
import type { Queries } from './queries.ts';
import type { Rates } from './rates.ts';
import type { Replays } from './replays.ts';
import type { Retention } from './retention.ts';

/**
 * What a process may do with a store.
 *
 * - `owner`: dispatches. On SQLite only one at a time, and a second is rejected; on PostgreSQL any number, which divide
 *   the lanes among them.
 * - `guest`: reads and enqueues next to an owner (the CLI).
 */
export type StoreRole = 'owner' | 'guest';

/**
 * What a warning is about: a file that other users can open; a clock that differs from the database's; a server that may
 * lose commits, or has lost some; a pooler without an address past it; or an option of Node.js that makes it slow.
 */
export type StoreWarning = 'file' | 'clock' | 'server' | 'pooler' | 'speed';

/** Called with a sentence when the operator should know of something that does not stop the store. */
export type OnStoreWarning = (warning: string, about: StoreWarning) => void;

/** The durable state of a process. Every implementation passes the conformance suite (`test/conformance`). */
export interface Store
  extends
    Inbox,
    LaneQueue,
    Ambiguities,
    Recognitions,
    Failures,
    Jobs,
    Plans,
    MachineStates,
    MachineOverview,
    LaneReads,
    Monitoring,
    Pauses,
    Queries,
    Rates,
    Replays,
    Processes,
    Privacy,
    Retention,
    ForeignChanges,
    AuditLog,
    EndedSessions {
  /** The location, for messages: the path of the file, or the address of the database without its password. */
  readonly location: string;
  /** Six characters: the first part of the ids of new events. Drawn with the store, and again after a restore. */
  readonly storeId: string;
  /**
   * Whether the last write succeeded. While it is false, each call attempts a
   * write, so that it turns true when the disk has room again. After an I/O error
   * it stays false: the store must be reopened.
   */
  healthy(): boolean;
  /** @param options.integrity whether to read the whole store, which takes seconds; by default it does */
  checks(options?: { readonly integrity: boolean }): Promise<readonly StoreCheck[]>;
  /** Commits pending writes, and releases files and locks. */
  close(): Promise<void>;
}

/** What a renewal of the store id is made from. */
export interface RenewalOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The entry of the audit about the renewal; stored with it. */
  readonly entry: (renewed: RenewedStoreId) => NewAuditEntry;
}

/** What a renewal of the store id has done. */
export interface RenewedStoreId {
  /** The path of the file, or the address of the database without its password. */
  readonly location: string;
  /** The first part of the ids of new events. */
  readonly storeId: string;
  /** The id that new events got before. The same as `storeId` when it was kept. */
  readonly formerStoreId: string;
  /** The last event that keeps its id; null in a store without events. */
  readonly lastEvent: string | null;
  /** When that event was received, in milliseconds since 1970. */
  readonly newestAt: number | null;
}
