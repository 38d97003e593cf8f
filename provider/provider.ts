import type { Database } from 'better-sqlite3';
import type { Kysely } from 'kysely';
import type { Clock } from '../src/kernel/time/clock.ts';
import type { Random } from '../src/kernel/random/random.ts';
import type { Change, Touched } from './change.ts';
import type { CertificateOpener } from './companies/certificate-opener.ts';
import type { ProviderTables } from './database/provider-tables.ts';
import type { OrganizationSlots } from './organization-slots.ts';
import type { MovableClock } from './movable-clock.ts';

/** What the parts of the provider work with. */
export interface Provider {
  readonly sqlite: Database;
  readonly query: Kysely<ProviderTables>;
  readonly certificates: CertificateOpener;
  /** Certificates that are being opened, and wait for it. */
  readonly openings: OrganizationSlots;
  /** Synchronization streams that are open. */
  readonly streams: OrganizationSlots;
  /** The provider's time, which can be put forward. */
  readonly clock: Clock & Pick<MovableClock, 'ahead'>;
  /** The machine's time, for what others measure by theirs: time limits and signatures. */
  readonly machine: Clock;
  /** For what may be guessed. */
  readonly random: Random;
  /** For what may not: keys, tokens, links that work once. URL-safe text. */
  drawSecret(): string;
  /** Where the addresses that it hands out begin, without a slash at the end: its own. */
  readonly baseUrl: () => string;
  /** Runs `work` in a transaction of its own: all of it happens, its webhooks included, or nothing. */
  change<T>(organization: number, work: (change: Change) => Promise<T>): Promise<T>;
  /** Calls back after each change of this process. @returns how to end that. */
  onCommit(listener: (touched: ReadonlySet<Touched>) => void): () => void;
  /** Calls back with the milliseconds by which the provider's time was put forward. @returns how to end that. */
  onAdvance(listener: (ms: number) => void): () => void;
  /** Calls back when the provider is about to stop, at once when it is already, so that streams end. @returns how to end that. */
  onClosing(listener: () => void): () => void;
  /** Puts the provider's time forward, for good: it is kept with the data. */
  advanceClock(ms: number): Promise<void>;
  /** Ends what would last for ever. */
  beginClosing(): void;
  close(): Promise<void>;
}
