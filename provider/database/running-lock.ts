import { realpathSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { PortariaError } from '../../src/kernel/errors.ts';
import { acquireExclusiveLock } from '../../src/kernel/files/exclusive-lock.ts';

/**
 * The right to run the provider on a file: two would send each webhook twice, and
 * let each step happen twice as fast. Commands that only open the file for a moment do
 * not ask for it.
 *
 * @param path of the provider's file, which is there.
 * @returns how to give it back.
 * @throws PortariaError `store-locked` when another provider runs on it, `store-failed` when it cannot be had otherwise.
 */
export function acquireRunningLock(path: string): () => void {
  // By whichever name it is called.
  const file = `${realpathSync(path)}.lock`;
  try {
    return acquireExclusiveLock(file);
  } catch (cause) {
    if (cause instanceof BetterSqlite3.SqliteError && cause.code.startsWith('SQLITE_BUSY'))
      throw new PortariaError(
        'store-locked',
        `${path} is in use by another running provider: stop that one, or give this one a file of its own ` +
          '(--database)',
        { cause },
      );
    throw new PortariaError('store-failed', `${file} cannot be locked: check its permissions`, { cause });
  }
}
