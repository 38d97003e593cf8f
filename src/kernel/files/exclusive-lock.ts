import BetterSqlite3, { type Database } from 'better-sqlite3';
import { createPrivately } from './create-privately.ts';

/** Long enough to outlast a process that is just stopping, or only looks for a moment. */
const PATIENCE_MS = 1_000;

/**
 * Holds a lock for as long as this process lives, or until it is released. It
 * is SQLite's exclusive lock on a file of its own, so the operating system takes
 * it back when the process ends, however it ends; there is no stale lock to
 * clean up.
 *
 * @returns how to give it back
 * @throws the operating system's or SQLite's error: one of `SQLITE_BUSY` when somebody else holds it
 */
export function acquireExclusiveLock(file: string): () => void {
  let database: Database | undefined;
  try {
    createPrivately(file);
    database = new BetterSqlite3(file, { timeout: PATIENCE_MS });
    // No journal file: nothing is ever written here.
    database.pragma('journal_mode = memory');
    database.exec('begin exclusive');
  } catch (error) {
    database?.close();
    throw error;
  }
  const held = database;
  return () => {
    held.close();
  };
}
