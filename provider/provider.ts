/** The interface of an open provider, which all its parts work with. */
import type { Database } from 'better-sqlite3';
import type { Kysely } from 'kysely';
import type { Clock } from '../src/kernel/time/clock.ts';
import type { Random } from '../src/kernel/random.ts';
import type { Change, Touched } from './change.ts';
import type { ProviderTables } from './database/provider-tables.ts';
import type { MovableClock } from './movable-clock.ts';
import type { OrganizationLimit } from './organization-limit.ts';

/** An open provider: its database, its clock, and the means to change records. */
export interface Provider {
  /** For statements that Kysely cannot express. */
  readonly sqlite: Database;
  readonly query: Kysely<ProviderTables>;
  /** Limits the certificates that an organization opens at a time. */
  readonly openings: OrganizationLimit;
  /** Limits the synchronization streams that an organization has open. */
  readonly streams: OrganizationLimit;
  /** The provider's clock, which can be advanced, sped up and stopped. */
  readonly clock: Clock & Pick<MovableClock, 'ahead' | 'speed'>;
  /** The machine's clock, for timeouts and signatures. */
  readonly machine: Clock;
  /** Random numbers that may be guessed. */
  readonly random: Random;
  /** Returns a URL-safe string that cannot be guessed, for keys, tokens and one-time links. */
  createSecret(): string;
  /** Returns the base of the provider's own URLs, without a trailing slash. */
  readonly baseUrl: () => string;
  /** Runs `work` in a transaction. Commits all of it, its webhooks included, or nothing. */
  change<T>(organization: number, work: (change: Change) => Promise<T>): Promise<T>;
  /** Calls back after each committed change of this process. @returns unsubscribes. */
  onCommit(listener: (touched: ReadonlySet<Touched>) => void): () => void;
  /** Calls back when the provider begins to stop, or at once if it has begun. @returns unsubscribes. */
  onClosing(listener: () => void): () => void;
  /** Advances the provider's clock and stores its offset, so that a restart keeps it. */
  advanceClock(ms: number): Promise<void>;
  /** Sets the seconds of the provider's clock in a second of the machine. 0 stops it; a restart sets it to 1. */
  setClockSpeed(speed: number): Promise<void>;
  /** Ends streams, which would otherwise stay open. */
  beginClosing(): void;
  /** Closes the database. */
  close(): Promise<void>;
}
