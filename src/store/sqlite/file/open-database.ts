/** Opens the file of a store with its settings. */
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import '../../../kernel/files/sqlite-rows.ts';
import { createPrivateFile } from '../../../kernel/files/private-files.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { isOlder } from '../../../kernel/node-version.ts';
import { giveUpReserve } from './reserve.ts';
import { isFull, storeError, writeError } from './store-error.ts';
import { acquireOwnerLock, isOwned } from './owner-lock.ts';
import { requireKnownSchema, schemaLevel } from './migrate.ts';

/** Older versions can corrupt a write-ahead log (SQLite's "WAL-reset" bug, 3.7.0 to 3.51.2). */
export const MIN_SQLITE = '3.51.3';

/** The value of `pragma synchronous` for FULL. */
export const SYNCHRONOUS_FULL = 2;

export const IN_MEMORY = ':memory:';

/** How long a write waits for the lock of another process; the wait blocks its thread. */
export const BUSY_TIMEOUT_MS = 2_000;

/** The size that SQLite truncates a longer log to, for example after a slow reader. */
export const MAX_LOG_BYTES = 64 * 1024 * 1024;

/**
 * Returns the absolute path of a store's file with symbolic links resolved, so
 * that one file has one name and one lock. Creates the folder (0700) and an
 * empty file (0600) if missing: they hold personal data.
 *
 * @throws PortariaError `store-read-only`, `store-full`, `store-failed`, and
 *   `store-unsupported` when the file has another name.
 */
export function prepareFile(path: string): string {
  const file = resolve(path);
  try {
    // A rehearsal has no right to create one.
    if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    createPrivateFile(file);
    const real = realpathSync(file);
    removeNameOfRestore(real);
    requireOneName(real);
    return real;
  } catch (error) {
    throw storeError(error, file);
  }
}

/**
 * A `restore` that was killed may have given the database its second name, and not put the backup in its place: the
 * database is as it was. It holds the lock while it runs.
 */
function removeNameOfRestore(file: string): void {
  if (namesOfRestore(file).length === 0 || isOwned(file)) return;
  const lock = acquireOwnerLock(file);
  try {
    // Again: a restore may have ended since, and the database that it has set aside has no other name then.
    for (const aside of namesOfRestore(file)) {
      if (existsSync(`${aside}-wal`)) renameSync(`${aside}-wal`, `${file}-wal`);
      rmSync(aside);
    }
  } finally {
    lock.release();
  }
}

function namesOfRestore(file: string): readonly string[] {
  const { dev, ino, nlink } = statSync(file);
  if (nlink <= 1) return [];
  const beside = readdirSync(dirname(file)).filter((name) =>
    name.startsWith(`${basename(file)}.before-restore-`),
  );
  return beside
    .map((name) => join(dirname(file), name))
    .filter((name) => {
      const found = statSync(name, { throwIfNoEntry: false });
      return found?.ino === ino && found.dev === dev;
    });
}

/**
 * Lock and write-ahead log go by the file's name: two processes that open one file
 * by two names (hard links, as `cp -al` makes them) would overwrite each other's pages.
 */
function requireOneName(file: string): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    const found = statSync(each, { throwIfNoEntry: false });
    if (!found?.isFile() || found.nlink <= 1) continue;
    throw new PortariaError(
      'store-unsupported',
      `${each} has ${String(found.nlink)} names (hard links), and processes that open it by different names ` +
        'destroy its data: remove the other names, or stop Portaria and give each folder a copy ' +
        'of its own (`cp`, not `cp -l`)',
    );
  }
}

/**
 * Opens the file with the settings for durability, and verifies them: this build
 * of SQLite defaults to `synchronous = NORMAL` with a write-ahead log, which
 * would lose acknowledged events in a power failure.
 *
 * @throws PortariaError `store-unsupported`, `store-newer`, `store-corrupt`,
 *   `store-read-only`, `store-busy`, `store-failed`.
 */
export function openDatabase(file: string): Database {
  return withReserve(file, () => openToWrite(file));
}

/** Opens again with the room of the reserve when the disk is full: a file that no process has open needs some. */
function withReserve(file: string, open: () => Database): Database {
  try {
    return open();
  } catch (error) {
    if (!isFull(error) || !giveUpReserve(file)) throw error;
    return open();
  }
}

function openToWrite(file: string): Database {
  let database: Database | undefined;
  try {
    database = new BetterSqlite3(file, { timeout: BUSY_TIMEOUT_MS });
    requireSafeSqlite(sqliteVersion(database));
    requireKnownSchema(database);
    configure(database);
    requireWritable(database);
    return database;
  } catch (error) {
    database?.close();
    throw storeError(writeError(error, file), file);
  }
}

/**
 * Opens a store's file that is already open elsewhere, read-only.
 *
 * @throws PortariaError as `openDatabase`.
 */
export function openForReading(file: string): Database {
  return withReserve(file, () => openReadOnly(file));
}

function openReadOnly(file: string): Database {
  try {
    const database = new BetterSqlite3(file, {
      readonly: true,
      fileMustExist: true,
      timeout: BUSY_TIMEOUT_MS,
    });
    database.pragma('temp_store = memory');
    // Opens the log, too, which needs room on the disk.
    schemaLevel(database);
    return database;
  } catch (error) {
    throw storeError(error, file);
  }
}

function configure(database: Database): void {
  // Takes effect in an empty file only, before its first page: pruned space can be given back in steps. In another
  // it would write a page, and a full disk would keep even reads from opening it.
  if (database.pragma('page_count', { simple: true }) === 0) database.pragma('auto_vacuum = incremental');
  database.pragma('journal_mode = wal');
  syncFully(database);
  database.pragma('foreign_keys = on');
  database.pragma('secure_delete = on');
  database.pragma('temp_store = memory');
  database.pragma(`journal_size_limit = ${String(MAX_LOG_BYTES)}`);
  // batch-commit.ts runs the checkpoints: SQLite's own swallow I/O errors.
  database.pragma('wal_autocheckpoint = 0');
  verifyPragma(database, 'synchronous', SYNCHRONOUS_FULL);
  verifyPragma(database, 'foreign_keys', 1);
  verifyPragma(database, 'journal_mode', database.memory ? 'memory' : 'wal');
}

/** Makes commits and checkpoints of a connection wait until their writes are on the disk. */
function syncFully(database: Database): void {
  database.pragma('synchronous = full');
  // On macOS, fsync alone leaves data in the drive's cache; elsewhere these have no effect.
  database.pragma('fullfsync = on');
  database.pragma('checkpoint_fullfsync = on');
}

/** Writes to the file: SQLite reports a read-only file at the first write, not before. */
function requireWritable(database: Database): void {
  database.exec('begin immediate');
  try {
    database.pragma(`user_version = ${String(schemaLevel(database))}`);
  } finally {
    if (database.inTransaction) database.exec('rollback');
  }
}

function verifyPragma(database: Database, name: string, expected: string | number): void {
  const found = database.pragma(name, { simple: true });
  if (found === expected) return;
  throw new PortariaError(
    'store-unsupported',
    `${database.name}: SQLite cannot set ${name} to ${String(expected)} (it is ${String(found)}): ` +
      'use a local file system',
  );
}

export function sqliteVersion(database: Database): string {
  return database.prepare<[], string>('select sqlite_version()').pluck().get() ?? '';
}

/** @throws PortariaError `store-unsupported` */
export function requireSafeSqlite(version: string): void {
  if (!isOlder(version, MIN_SQLITE)) return;
  throw new PortariaError(
    'store-unsupported',
    `SQLite ${version} can corrupt its write-ahead log: reinstall better-sqlite3 with SQLite ${MIN_SQLITE} or later`,
  );
}
