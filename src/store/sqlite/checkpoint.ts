import type { Database } from 'better-sqlite3';

/**
 * Pages (4 KiB each) that may wait in the write-ahead log before they are moved
 * into the file. Nothing is committed meanwhile: few at a time cost little more
 * in all, and four times less in a row.
 */
const PAGES_BEFORE_CHECKPOINT = 256;

interface LogState {
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * Moves what the write-ahead log holds into the file, when there is enough of it.
 *
 * SQLite's automatic checkpoint is off because it swallows errors: a failed
 * fsync there would go unseen, and the next could falsely succeed.
 *
 * @throws the I/O error, as SQLite gives it.
 */
export function checkpointIfDue(database: Database): void {
  if (database.memory) return;
  const [state] = database.pragma('wal_checkpoint(noop)') as LogState[];
  if (state === undefined || state.log - state.checkpointed < PAGES_BEFORE_CHECKPOINT) return;
  database.pragma('wal_checkpoint(passive)');
}

/** Empties the log, as far as other processes' readers allow. */
export function checkpointAll(database: Database): void {
  database.pragma('wal_checkpoint(truncate)');
}
