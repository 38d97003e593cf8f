import type { Database } from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import type { Clock } from '../../kernel/time/clock.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { makePrivate } from '../../kernel/files/private-files.ts';
import { ownExtension } from '../../kernel/files/package-files.ts';
import type { Random } from '../../kernel/random.ts';
import type { Store, StoreRole } from '../store.ts';
import { checkpointAll } from './commit/checkpoint.ts';
import { checkStore } from './file/check-store.ts';
import type { DatabaseSchema } from './file/database-schema.ts';
import { isFatal, storeError } from './file/store-error.ts';
import { createFileGuard } from './file/file-guard.ts';
import { createIds } from './sql/ids.ts';
import { createLocalWriter } from './commit/local-writer.ts';
import { findOrDrawStoreId } from './file/store-id.ts';
import { migrate, needsMigration } from './file/migrate.ts';
import { IN_MEMORY, openDatabase, prepareFile } from './file/open-database.ts';
import { acquireOwnerLock, type OwnerLock } from './file/owner-lock.ts';
import { guardReads } from './read/guard-reads.ts';
import { createPointReads } from './machines/machine-reads.ts';
import { createReads, readStoredEvents } from './read/reads.ts';
import { createWrites } from './commit/writes.ts';
import { createThreadReader } from './read/thread-reader.ts';
import { createThreadWriter } from './commit/thread/thread-writer.ts';

const DEFAULT_QUARANTINE_BYTES = 1024 ** 3;
/** After the store is opened: what a start waits for is loaded by then. */
const START_READER_MS = 1_000;

export interface SqliteStoreOptions {
  /** The file; its folder is made when missing. `:memory:` keeps everything in memory. */
  readonly path: string;
  readonly role: StoreRole;
  readonly clock: Clock;
  /** Draws the storeId's name when the store is new. */
  readonly random?: Random;
  /** Told once when the file must not be written again: the process should end. */
  readonly onFatal?: (error: PortariaError) => void;
  /** Called once when other users could open the file, with what has become of that. */
  readonly onWarning?: (warning: string) => void;
  /** Bytes of all held entries of the quarantine; 1 GiB unless given. */
  readonly maxQuarantineBytes?: number;
  /** Where commits and long reads are made: unless given, in threads when those pay. */
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
  const warning = makePrivate(file);
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
  const storeId = findOrDrawStoreId({ database, query }, clock, random);
  const connection = { database, query, clock, ids: createIds(storeId) };
  const limits = { maxQuarantineBytes };
  const threads = usesThreads(options);
  const writer = threads
    ? createThreadWriter({ file: location, storeId, ...limits, clock, onFatal: tellFatal })
    : createLocalWriter(connection, {
        location,
        ...limits,
        check: createFileGuard(location),
        onFatal: tellFatal,
      });
  const reader = threads ? createThreadReader({ file: location, storeId, ...limits }) : undefined;
  // Loaded while the process starts is loaded without anybody's waiting, and from the same version.
  const startReader =
    reader &&
    clock.after(START_READER_MS, () => {
      reader.start();
    });
  const { storedBodies, ...reads } = reader?.reads ?? createReads(connection, { storeId, ...limits });

  return {
    location,
    storeId,
    ...createWrites(writer.operations, connection, (error) => {
      if (isFatal(error)) tellFatal(storeError(error, location));
    }),
    ...(role === 'guest' ? { recover: refuseGuest, claim: refuseGuest } : {}),
    ...guardReads(
      {
        ...reads,
        ...createPointReads(connection),
        storedEvents: (ids: readonly string[]) => readStoredEvents(storedBodies, ids),
        checks: () => checkStore(connection, () => writer.operations.probe()),
      },
      location,
    ),
    healthy: () => writer.healthy(),
    async close() {
      if (!database.open) return;
      startReader?.();
      await Promise.all([reader?.close(), writer.close()]);
      if (role === 'owner' && writer.healthy()) emptyLog(database);
      database.close();
      lock?.release();
    },
  };
}

/**
 * Threads pay for whoever writes a lot and for long: the owner. Memory is not
 * shared between threads; and from source a thread takes several times as long to
 * load, which a test that wants one asks for.
 */
function usesThreads({ path, role, writer }: SqliteStoreOptions): boolean {
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
