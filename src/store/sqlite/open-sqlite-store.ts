import type { Database } from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import type { Clock } from '../../kernel/clock.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { keepPrivate } from '../../kernel/keep-private.ts';
import { ownExtension } from '../../kernel/own-files.ts';
import type { Random } from '../../kernel/random.ts';
import type { Store, StoreRole } from '../store.ts';
import { checkpointAll } from './checkpoint.ts';
import { checkStore } from './check-store.ts';
import type { DatabaseSchema } from './database-schema.ts';
import { isFatal, storeError } from './store-error.ts';
import { createFileGuard } from './file-guard.ts';
import { createIds } from './ids.ts';
import { createLocalWriter } from './local-writer.ts';
import { findOrDrawInstallation } from './installation.ts';
import { migrate, needsMigration } from './migrate.ts';
import { IN_MEMORY, openDatabase, prepareFile } from './open-database.ts';
import { acquireOwnerLock, type OwnerLock } from './owner-lock.ts';
import { createCountReplayEvents } from './count-replay-events.ts';
import { createDeliveryReads } from './delivery-reads.ts';
import { createEventReads } from './event-reads.ts';
import { guardReads } from './guard-reads.ts';
import { createMachineReads } from './machine-reads.ts';
import { createQuarantineReads } from './quarantine-reads.ts';
import { createReplayReads } from './replay-reads.ts';
import { createReadReplayEvents } from './read-replay-events.ts';
import { readStatistics, readTotals } from './read-statistics.ts';
import { createWrites } from './writes.ts';
import { createThreadWriter } from './thread/thread-writer.ts';

const DEFAULT_QUARANTINE_BYTES = 1024 ** 3;

export interface SqliteStoreOptions {
  /** The file; its folder is made when missing. `:memory:` keeps everything in memory. */
  readonly path: string;
  readonly role: StoreRole;
  readonly clock: Clock;
  /** Draws the installation's name when the store is new. */
  readonly random?: Random;
  /** Told once when the file must not be written again: the process should end. */
  readonly onFatal?: (error: PortariaError) => void;
  /** Called once when other users could open the file, with what has become of that. */
  readonly onWarning?: (warning: string) => void;
  /** Bytes of all held entries of the quarantine; 1 GiB unless given. */
  readonly maxQuarantineBytes?: number;
  /** Where commits are made: unless given, in a thread when that pays. */
  readonly writer?: 'local' | 'thread';
}

/**
 * Opens the store in an SQLite file, makes or updates its tables, and, as
 * owner, takes the right to dispatch from it.
 *
 * A guest changes the tables only when no owner is alive: it must not pull them
 * from under an older one that runs.
 *
 * @throws PortariaError `store-locked`, `store-newer`, `store-corrupt`,
 *   `store-read-only`, `store-full`, `store-busy`, `store-unsupported`, `store-failed`.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const file = options.path === IN_MEMORY ? IN_MEMORY : prepareFile(options.path);
  const lock = options.role === 'owner' ? lockFor(file) : undefined;
  try {
    const database = openDatabase(file);
    try {
      if (file !== IN_MEMORY) warnOfOthers(file, options);
      if (needsMigration(database)) migrateLocked(database, file, lock);
      return assemble(database, options, lock);
    } catch (error) {
      database.close();
      throw storeError(error, file);
    }
  } catch (error) {
    lock?.release();
    throw error;
  }
}

function warnOfOthers(file: string, { onWarning }: SqliteStoreOptions): void {
  const warning = keepPrivate(file);
  if (warning !== null) onWarning?.(warning);
}

/** What is in memory nobody else can reach, and needs no lock. */
function lockFor(file: string): OwnerLock | undefined {
  return file === IN_MEMORY ? undefined : acquireOwnerLock(file);
}

function migrateLocked(database: Database, file: string, held: OwnerLock | undefined): void {
  const lock = held ?? lockFor(file);
  try {
    migrate(database);
  } finally {
    if (lock !== held) lock?.release();
  }
}

function assemble(database: Database, options: SqliteStoreOptions, lock: OwnerLock | undefined): Store {
  const { role, clock, random = Math.random, onFatal = () => undefined } = options;
  const { maxQuarantineBytes = DEFAULT_QUARANTINE_BYTES } = options;
  const location = database.name;
  const tellFatal = once(onFatal);
  const query = new Kysely<DatabaseSchema>({ dialect: new SqliteDialect({ database }) });
  const installation = findOrDrawInstallation({ database, query }, clock, random);
  const connection = { database, query, clock, ids: createIds(installation) };
  const writer = usesThread(options)
    ? createThreadWriter({ file: location, installation, maxQuarantineBytes, clock, onFatal: tellFatal })
    : createLocalWriter(connection, {
        location,
        maxQuarantineBytes,
        check: createFileGuard(location),
        onFatal: tellFatal,
      });
  const reads = {
    ...createEventReads(connection),
    ...createDeliveryReads(connection),
    ...createQuarantineReads(connection),
    ...createMachineReads(connection),
    ...createReplayReads(connection),
    replayEvents: createReadReplayEvents(connection),
    countReplayEvents: createCountReplayEvents(connection),
    statistics: () => readStatistics(connection, { installation, maxQuarantineBytes }),
    totals: () => readTotals(connection, { maxQuarantineBytes }),
    checks: () => checkStore(connection, () => writer.operations.probe()),
  };

  return {
    location,
    installation,
    ...createWrites(writer.operations, connection, (error) => {
      if (isFatal(error)) tellFatal(storeError(error, location));
    }),
    ...(role === 'guest' ? { recover: refuseGuest, claim: refuseGuest } : {}),
    ...guardReads(reads, location),
    healthy: () => writer.healthy(),
    async close() {
      if (!database.open) return;
      await writer.close();
      if (role === 'owner' && writer.healthy()) emptyLog(database);
      database.close();
      lock?.release();
    },
  };
}

/**
 * A thread pays for whoever writes a lot and for long: the owner. Memory is not
 * shared between threads; and from source a thread takes several times as long to
 * load, which a test that wants one asks for.
 */
function usesThread({ path, role, writer }: SqliteStoreOptions): boolean {
  if (path === IN_MEMORY) return false;
  return writer === undefined ? role === 'owner' && ownExtension === '.js' : writer === 'thread';
}

function once<T>(tell: (what: T) => void): (what: T) => void {
  let told = false;
  return (what) => {
    if (told) return;
    told = true;
    tell(what);
  };
}

function refuseGuest(): Promise<never> {
  const message = 'only the owner of a store may take deliveries from it: open it as owner';
  return Promise.reject(new PortariaError('store-locked', message));
}

/** All is committed already; a log that cannot be emptied now is emptied at the next start. */
function emptyLog(database: Database): void {
  try {
    checkpointAll(database);
  } catch {
    return;
  }
}
