import { closeSync, existsSync, openSync, realpathSync } from 'node:fs';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { PortariaError } from '../../kernel/errors.ts';
import { storeError } from './store-error.ts';

/**
 * The right to dispatch from a store. It is SQLite's exclusive lock on a file
 * beside the store's, so the operating system takes it back when the process
 * ends, however it ends; there is no stale lock to clean up.
 */
export interface OwnerLock {
  release(): void;
}

/** Long enough to outlast a moment's `isOwned` or migration of another process. */
const PATIENCE_MS = 1_000;

const lockFile = (path: string) => `${path}.lock`;

/**
 * @param path the store's file, with symbolic links resolved.
 * @throws PortariaError `store-locked` when another process, or another store
 *   object of this one, is the owner.
 */
export function acquireOwnerLock(path: string): OwnerLock {
  const file = lockFile(path);
  let database: Database | undefined;
  try {
    createPrivately(file);
    database = new BetterSqlite3(file, { timeout: PATIENCE_MS });
    // No journal file: nothing is ever written here.
    database.pragma('journal_mode = memory');
    database.exec('begin exclusive');
  } catch (error) {
    database?.close();
    const failure = storeError(error, file);
    if (failure.code !== 'store-busy') throw failure;
    throw new PortariaError(
      'store-locked',
      `${path} is in use by another running Portaria: stop that one, or give this one a file of its own ` +
        '(PORTARIA_DATABASE)',
      { cause: error },
    );
  }
  const held = database;
  return {
    release: () => {
      held.close();
    },
  };
}

/** Whether some process owns the store in this file now. Creates nothing and waits for nothing. */
export function isOwned(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = lockFile(realpathSync(path));
  if (!existsSync(file)) return false;
  const database = new BetterSqlite3(file, { readonly: true, timeout: 0 });
  try {
    database.prepare('select count(*) from sqlite_schema').get();
    return false;
  } catch (error) {
    if (storeError(error, file).code === 'store-busy') return true;
    throw storeError(error, file);
  } finally {
    database.close();
  }
}

/**
 * Makes an empty file that only its owner can read, unless there is one.
 *
 * An existing file is never opened here: closing any descriptor of a file drops
 * the locks that SQLite holds on it elsewhere in this process.
 */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
