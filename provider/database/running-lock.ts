/** Lets one provider at a time run on a database file. */
import { realpathSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { PortariaError } from '../../src/kernel/errors.ts';
import { acquireExclusiveLock } from '../../src/kernel/files/exclusive-lock.ts';

/**
 * Locks a file for one running provider: two would send each webhook twice. Commands that
 * open the file for a moment do not need the lock.
 *
 * @param path an existing file.
 * @returns releases the lock.
 * @throws PortariaError `store-locked` when another provider runs on the file;
 *   `store-failed` when it cannot be locked for another reason.
 */
export function acquireRunningLock(path: string): () => void {
  // Links to the file share its lock.
  const file = `${realpathSync(path)}.lock`;
  try {
    return acquireExclusiveLock(file);
  } catch (cause) {
    if (cause instanceof BetterSqlite3.SqliteError && cause.code.startsWith('SQLITE_BUSY'))
      throw new PortariaError(
        'store-locked',
        `${path} is in use by another running provider: stop it, or use another file (--database)`,
        { cause },
      );
    throw new PortariaError('store-failed', `${file} cannot be locked: check its permissions`, { cause });
  }
}
