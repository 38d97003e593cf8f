/** Lets one process at a time dispatch from a file. */
import { existsSync, realpathSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { PortariaError } from '../../../kernel/errors.ts';
import { acquireExclusiveLock } from '../../../kernel/files/exclusive-lock.ts';
import { watchFile, type WatchedFile } from './disk.ts';
import { storeError } from './store-error.ts';

/** The right to dispatch from a store: an exclusive lock on a file next to the store's. */
export interface OwnerLock {
  /** The lock's own file: once it is gone, another process can become the owner too. */
  readonly file: WatchedFile;
  release(): void;
}

const lockFile = (path: string) => `${path}.lock`;

/**
 * Acquires the lock of a store.
 *
 * @param path the store's file, with symbolic links resolved.
 * @throws PortariaError `store-locked` when another process, or another store
 *   object of this one, is the owner.
 */
export function acquireOwnerLock(path: string): OwnerLock {
  const file = lockFile(path);
  try {
    const release = acquireExclusiveLock(file);
    const remedy =
      'another process may own the database now; stop it, start again, and leave this file alone';
    return { file: watchFile(file, remedy), release };
  } catch (error) {
    const failure = storeError(error, file);
    if (failure.code !== 'store-busy') throw failure;
    throw new PortariaError(
      'store-locked',
      `${path} is in use by another running Portaria: stop that one, or give this one a file of its own ` +
        '(PORTARIA_DATABASE)',
      { cause: error },
    );
  }
}

/** Whether a process owns the store in this file. Creates no file and does not wait. */
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
