/** Locks a file for one process, until the process ends. */
import BetterSqlite3, { type Database } from 'better-sqlite3';
import './sqlite-rows.ts';
import { createPrivateFile } from './private-files.ts';

/** Long enough to outlast a process that is stopping or that reads for a moment. */
const TIMEOUT_MS = 1_000;

/**
 * Acquires a lock that this process holds until it releases the lock or ends. The lock is SQLite's exclusive
 * lock on a file of its own: the operating system releases it with the process, so no stale lock remains.
 *
 * @returns the function that releases the lock
 * @throws the operating system's or SQLite's error; `SQLITE_BUSY` when another process holds the lock
 */
export function acquireExclusiveLock(file: string): () => void {
  let database: Database | undefined;
  try {
    createPrivateFile(file);
    database = new BetterSqlite3(file, { timeout: TIMEOUT_MS });
    // Nothing is ever written here, so no journal file is needed.
    database.pragma('journal_mode = memory');
    database.exec('begin exclusive');
  } catch (error) {
    database?.close();
    throw error;
  }
  const locked = database;
  return () => {
    locked.close();
  };
}
