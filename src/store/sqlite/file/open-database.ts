import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { createPrivateFile } from '../../../kernel/files/private-files.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { isOlder } from '../../../kernel/node-version.ts';
import { storeError } from './store-error.ts';
import { refuseUnknownSchema, schemaLevel } from './migrate.ts';

/** Older ones can corrupt a write-ahead log (SQLite's "WAL-reset" bug, 3.7.0 to 3.51.2). */
export const OLDEST_SQLITE = '3.51.3';

/** What `pragma synchronous` reads back for FULL. */
export const SYNCHRONOUS_FULL = 2;

export const IN_MEMORY = ':memory:';

/** How long a write waits for another process's, which blocks this whole process meanwhile. */
export const BUSY_TIMEOUT_MS = 2_000;

/** The log is cut back to this when it was longer, for example behind a slow reader. */
export const LOG_BYTES = 64 * 1024 * 1024;

/**
 * The absolute path of a store's file, symbolic links resolved, so that one
 * file has one name and one lock. Makes the folder (0700) and an empty file
 * (0600) when missing: they hold personal data.
 *
 * @throws PortariaError `store-read-only`, `store-full`, `store-failed`.
 */
export function prepareFile(path: string): string {
  const file = resolve(path);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    createPrivateFile(file);
    return realpathSync(file);
  } catch (error) {
    throw storeError(error, file);
  }
}

/**
 * Opens the file with the settings that durability rests on, and reads them
 * back: the build falls back to `synchronous = NORMAL` with a write-ahead log,
 * which would lose acknowledged events in a power failure.
 *
 * @throws PortariaError `store-unsupported`, `store-newer`, `store-corrupt`,
 *   `store-read-only`, `store-busy`, `store-failed`.
 */
export function openDatabase(file: string): Database {
  let database: Database | undefined;
  try {
    database = new BetterSqlite3(file, { timeout: BUSY_TIMEOUT_MS });
    refuseOldSqlite(sqliteVersion(database));
    refuseUnknownSchema(database);
    configure(database);
    refuseReadOnly(database);
    return database;
  } catch (error) {
    database?.close();
    throw storeError(error, file);
  }
}

/**
 * Opens a file that is open as a store already, for nothing but reading.
 *
 * @throws PortariaError as `openDatabase`.
 */
export function openForReading(file: string): Database {
  try {
    const database = new BetterSqlite3(file, {
      readonly: true,
      fileMustExist: true,
      timeout: BUSY_TIMEOUT_MS,
    });
    database.pragma('temp_store = memory');
    return database;
  } catch (error) {
    throw storeError(error, file);
  }
}

function configure(database: Database): void {
  database.pragma('journal_mode = wal');
  syncFully(database);
  database.pragma('foreign_keys = on');
  database.pragma('secure_delete = on');
  database.pragma('temp_store = memory');
  database.pragma(`journal_size_limit = ${String(LOG_BYTES)}`);
  // Checkpoints are ours (see checkpoint.ts): SQLite's own swallow I/O errors.
  database.pragma('wal_autocheckpoint = 0');
  expectPragma(database, 'synchronous', SYNCHRONOUS_FULL);
  expectPragma(database, 'foreign_keys', 1);
  expectPragma(database, 'journal_mode', database.memory ? 'memory' : 'wal');
}

/** Has commits and checkpoints of a connection wait until what they wrote is on the disk. */
export function syncFully(database: Database): void {
  database.pragma('synchronous = full');
  // On macOS fsync alone leaves data in the drive's cache; elsewhere these do nothing.
  database.pragma('fullfsync = on');
  database.pragma('checkpoint_fullfsync = on');
}

/** A read-only file opens, and even begins a write transaction, without complaint: only a write tells. */
function refuseReadOnly(database: Database): void {
  database.exec('begin immediate');
  try {
    database.pragma(`user_version = ${String(schemaLevel(database))}`);
  } finally {
    if (database.inTransaction) database.exec('rollback');
  }
}

function expectPragma(database: Database, name: string, expected: string | number): void {
  const found = database.pragma(name, { simple: true });
  if (found === expected) return;
  throw new PortariaError(
    'store-unsupported',
    `${database.name}: SQLite would not set ${name} to ${String(expected)} (it is ${String(found)}); ` +
      'use a local file system',
  );
}

export function sqliteVersion(database: Database): string {
  return database.prepare<[], string>('select sqlite_version()').pluck().get() ?? '';
}

/** @throws PortariaError `store-unsupported` */
export function refuseOldSqlite(version: string): void {
  if (!isOlder(version, OLDEST_SQLITE)) return;
  throw new PortariaError(
    'store-unsupported',
    `SQLite ${version} can corrupt its write-ahead log: reinstall better-sqlite3 with SQLite ${OLDEST_SQLITE} or later`,
  );
}
