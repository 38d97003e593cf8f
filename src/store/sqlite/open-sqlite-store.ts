/** Opens a store in SQLite, and puts its methods together. */
import type { Worker } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import type { DataOf } from '../../event/stored-event.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { makePrivate } from '../../kernel/files/private-files.ts';
import { ownExtension } from '../../kernel/files/package-files.ts';
import { generatesCode } from '../../kernel/files/sqlite-rows.ts';
import type { Random } from '../../kernel/random.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { noForeignChanges } from '../foreign-changes.ts';
import type { OnStoreWarning, Store, StoreRole } from '../store.ts';
import { checkpointAll, emptiedLog } from './commit/batch-commit.ts';
import { createSessionReads } from '../shared/audit/ended-sessions.ts';
import { createLocalWriter } from './commit/writer.ts';
import { createWriterClient } from './commit/thread/writer-client.ts';
import { createWrites } from './commit/writes.ts';
import { readStoredEvents } from './events/stored-events.ts';
import { checkStore } from './file/check-store.ts';
import { createFileGuard, watchFile, type WatchedFile } from './file/disk.ts';
import { migrate, needsMigration } from './file/migrate.ts';
import { IN_MEMORY, openDatabase, prepareFile } from './file/open-database.ts';
import { acquireOwnerLock, isOwned, type OwnerLock } from './file/owner-lock.ts';
import { createReserve, makeReserve, reserveState } from './file/reserve.ts';
import { isFatal, storeError, withStoreErrors, writeError } from './file/store-error.ts';
import { createFoldReads } from '../shared/machines/machine-reads.ts';
import { createPausePointReads } from '../shared/pauses/pauses.ts';
import { createOneErasure } from './privacy/one-erasure.ts';
import { createReads, type Reads } from './read/reads.ts';
import { createReaderClient } from './read/reader-client.ts';
import { forgetProcesses, runningProcesses } from './processes/process-records.ts';
import { createConnection, createQueryBuilder, type Connection } from './sql/connection.ts';
import { drawStoreId } from '../shared/ids.ts';
import { DEFAULT_QUARANTINE_BYTES } from '../shared/quarantine/quarantine-quota.ts';
import { rowsNow, runNow } from './sql/statement.ts';

/** How long after opening the reading thread starts: the rest of the start goes first. */
const START_READER_MS = 1_000;

export interface SqliteStoreOptions {
  /** The file; its folder is created if missing. `:memory:` keeps everything in memory. */
  readonly path: string;
  readonly role: StoreRole;
  readonly clock: Clock;
  /** Draws the store id of a new store. */
  readonly random?: Random;
  /** Called once when the file must not be written again: the process should exit. */
  readonly onFatal?: (error: PortariaError) => void;
  /** Called once when other users could open the file, with what was done about it. */
  readonly onWarning?: OnStoreWarning;
  /** The maximum bytes of all held entries of the quarantine; 1 GiB by default. */
  readonly maxQuarantineBytes?: number;
  /** Reads the payload of a stored body, by its source; the member `data` by default. */
  readonly dataOf?: DataOf;
  /** Where commits and long reads run; by default in threads for the owner of a file. */
  readonly writer?: 'local' | 'thread';
  /** Starts the threads of the writer and the reader, so that tests can share threads. */
  readonly startThread?: (which: 'writer' | 'reader') => Worker;
}

/**
 * Opens the store in an SQLite file, creates or migrates its tables, and, as
 * owner, acquires the right to dispatch from it.
 *
 * A guest migrates the tables only while no owner runs, which may be an older
 * version.
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
      if (file !== IN_MEMORY) warnOfOtherUsers(file, options);
      if (!generatesCode && lock !== undefined) options.onWarning?.(SLOW_ROWS, 'speed');
      if (needsMigration(database)) migrateLocked(database, file, lock);
      return assemble(database, options, lock);
    } catch (error) {
      database.close();
      throw storeError(writeError(error, file), file);
    }
  } catch (error) {
    lock?.release();
    throw error;
  }
}

const SLOW_ROWS =
  'Node.js may not generate code from strings (--disallow-code-generation-from-strings), so rows of SQLite are read more slowly';

function warnOfOtherUsers(file: string, { onWarning }: SqliteStoreOptions): void {
  const warning = makePrivate(file);
  if (warning !== null) onWarning?.(warning, 'file');
}

/** A store in memory needs no lock: no other process can open it. */
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
  const { role, clock, random = Math.random, onFatal = () => undefined, startThread } = options;
  const { maxQuarantineBytes = DEFAULT_QUARANTINE_BYTES } = options;
  const location = database.name;
  let isLost = false;
  const reportFatal = once((error: PortariaError) => {
    isLost = true;
    onFatal(error);
  });
  const storeId = findOrDrawStoreId(database, clock, random);
  const connection = createConnection(database, storeId, clock, options.dataOf);
  const limits = { maxQuarantineBytes };
  const threads = usesThreads(options);
  const watched = watchedFiles(location, lock);
  const writer = threads
    ? createWriterClient({
        file: location,
        storeId,
        watched,
        ...limits,
        clock,
        onFatal: reportFatal,
        startThread: startThread && (() => startThread('writer')),
      })
    : createLocalWriter(connection, {
        location,
        ...limits,
        check: createFileGuard(watched),
        onFatal: reportFatal,
        ...(!database.memory && { reserve: createReserve(location, role) }),
      });
  // Prepares no statement: in this thread it may only say what reads there are.
  const ownReads = createReads(connection, { storeId, ...limits });
  const reader = threads
    ? createReaderClient(
        { file: location, storeId, ...limits },
        Object.keys(ownReads) as (keyof Reads)[],
        startThread && (() => startThread('reader')),
      )
    : undefined;
  // Started early, so that the first read does not wait, and an upgrade in place cannot mix versions.
  const startReader =
    reader &&
    clock.after(START_READER_MS, () => {
      reader.start();
    });
  if (role === 'owner') {
    if (!database.memory) makeReserve(location);
    forgetEarlierProcesses(connection);
  }
  const { storedBodies, processes: recorded, ...reads } = reader?.reads ?? ownReads;
  const writes = createWrites(writer.operations, connection, (error) => {
    if (isFatal(error)) reportFatal(storeError(error, location));
  });

  /**
   * Waits for the reading thread, which folds need and which may take seconds to start. Otherwise, a process that is
   * killed soon after each start would use up their attempts.
   */
  async function recover(): Promise<number> {
    const recovered = await writes.recover();
    if (recovered > 0) await reader?.ready();
    return recovered;
  }

  // Without an owner, the process was killed, and nothing runs until the next start.
  const processes = async () => (role === 'guest' && !isOwned(location) ? [] : recorded());

  return {
    location,
    storeId,
    ...writes,
    // Another process may have the file: that is fatal.
    mayStart: () => !isLost,
    leads: () => role === 'owner',
    keepLease: async () => undefined,
    ...(role === 'guest' ? { recover: rejectGuest, claim: rejectGuest } : { recover }),
    ...withStoreErrors(
      {
        ...reads,
        ...createFoldReads(connection),
        ...createSessionReads(connection),
        ...createPausePointReads(connection),
        storedEvents: (ids: readonly string[]) => readStoredEvents(storedBodies, ids, options.dataOf),
        processes,
        runningProcesses: async () => runningProcesses(await processes(), await reads.totals()),
        truncateLog: async () => emptiedLog(database),
        checks: (options?: { readonly integrity: boolean }) =>
          checkStore(connection, () => writer.operations.probe(), options),
      },
      location,
    ),
    ...createOneErasure(location, clock),
    ...noForeignChanges,
    healthy: () => writer.healthy(),
    async close() {
      if (!database.open) return;
      startReader?.();
      await Promise.all([reader?.close(), writer.close()]);
      if (role === 'owner' && writer.healthy()) emptyLog(database);
      const { memory } = database;
      database.close();
      if (!memory && reserveState(location) === 'given-up' && (role === 'owner' || !isOwned(location)))
        makeReserve(location);
      lock?.release();
    },
  };
}

/** Their records would name handlers that nobody runs. A disk that is full must not prevent the start. */
function forgetEarlierProcesses(connection: Connection): void {
  try {
    forgetProcesses(connection);
  } catch (error) {
    if (isFatal(writeError(error, connection.database.name))) throw error;
  }
}

/** A guest holds no lock, and an owner may come and go beside it. */
function watchedFiles(file: string, lock: OwnerLock | undefined): readonly WatchedFile[] {
  if (file === IN_MEMORY) return [];
  return [watchFile(file, 'put it back and start again'), ...(lock === undefined ? [] : [lock.file])];
}

/**
 * Threads pay off for the owner, which writes much and for long. Threads cannot
 * share a store in memory, and load slowly from source: a test opts in.
 */
function usesThreads({ path, role, writer }: SqliteStoreOptions): boolean {
  if (path === IN_MEMORY) return false;
  return writer === undefined ? role === 'owner' && ownExtension === '.js' : writer === 'thread';
}

function once<T>(call: (value: T) => void): (value: T) => void {
  let called = false;
  return (value) => {
    if (called) return;
    called = true;
    call(value);
  };
}

/** Reads the store id, or draws it when the store is opened for the first time. */
function findOrDrawStoreId(database: Database, clock: Clock, random: Random): string {
  const query = createQueryBuilder(database);
  const find = () => rowsNow(database, query.selectFrom('store').select('installation'))[0]?.installation;
  const draw = database.transaction(() => {
    const known = find();
    if (known !== undefined) return known;
    const storeId = drawStoreId(random);
    const row = { id: 1, installation: storeId, created_at: clock.now() };
    runNow(database, query.insertInto('store').values(row));
    return storeId;
  });
  return find() ?? draw.immediate();
}

function rejectGuest(): Promise<never> {
  const message = 'only the owner of a store may claim deliveries: open it as owner';
  return Promise.reject(new PortariaError('store-locked', message));
}

/** Empties the log. Everything is committed, so a failure can wait for the next start. */
function emptyLog(database: Database): void {
  try {
    checkpointAll(database);
  } catch {
    return;
  }
}
