import { closeSync, openSync, realpathSync } from 'node:fs';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { PortariaError } from '../../kernel/errors.ts';

/** Long enough for a service that is just stopping. */
const PATIENCE_MS = 1_000;

/**
 * The right to run the service on a file: two would send each webhook twice, and
 * let each step happen twice as fast. It is SQLite's exclusive lock on a file
 * beside it, which the operating system takes back when the process ends, however
 * it ends. Commands that only open the file for a moment do not ask for it.
 *
 * @param path of the service's file, which is there.
 * @returns how to give it back.
 * @throws PortariaError `store-locked` when another service runs on it, `store-failed` when it cannot be had otherwise.
 */
export function acquireRunningLock(path: string): () => void {
  // By whichever name it is called.
  const file = `${realpathSync(path)}.lock`;
  let database: Database | undefined;
  try {
    createPrivately(file);
    database = new BetterSqlite3(file, { timeout: PATIENCE_MS });
    // No journal file: nothing is ever written here.
    database.pragma('journal_mode = memory');
    database.exec('begin exclusive');
  } catch (cause) {
    database?.close();
    if (cause instanceof BetterSqlite3.SqliteError && cause.code.startsWith('SQLITE_BUSY'))
      throw new PortariaError(
        'store-locked',
        `${path} is in use by another running service: stop that one, or give this one a file of its own ` +
          '(--database)',
        { cause },
      );
    throw new PortariaError('store-failed', `${file} cannot be locked: check its permissions`, { cause });
  }
  const held = database;
  return () => {
    held.close();
  };
}

/** An existing file is not opened here: closing it would drop the locks that SQLite holds on it in this process. */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
