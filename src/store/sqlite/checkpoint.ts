import type { Database } from 'better-sqlite3';

/**
 * Pages (4 KiB each) that may wait in the write-ahead log before whoever writes
 * moves them into the file itself. Nothing is committed meanwhile: few at a time
 * cost little more in all, and four times less in a row.
 */
export const PAGES_BEFORE_CHECKPOINT = 256;

/** Pages of the write-ahead log: all, and how many of them are in the file already. */
export interface LogState {
  readonly pages: number;
  readonly moved: number;
}

/** The write-ahead log of an open file. */
export interface WriteAheadLog {
  state(): LogState;
  /**
   * Moves what it holds into the file, as far as nobody reads or writes what
   * comes before; when all of it is moved, the next commit begins it anew.
   *
   * @throws the I/O error, as SQLite gives it.
   */
  move(): void;
}

/** Moves the log into the file when there is enough of it. Throws the I/O error, as SQLite gives it. */
export type Checkpoint = () => void;

/**
 * SQLite's automatic checkpoint is off because it swallows errors: a failed
 * fsync there would go unseen, and the next could falsely succeed.
 *
 * Statements are prepared once: one prepared after each commit costs as much as
 * storing an event, and lives until all of the heap is collected.
 */
export function writeAheadLog(database: Database): WriteAheadLog {
  const look = database.prepare<[], [busy: number, log: number, checkpointed: number]>(
    'pragma wal_checkpoint(noop)',
  );
  look.raw();
  const move = database.prepare('pragma wal_checkpoint(passive)');
  return {
    state() {
      const [, pages, moved] = look.get() ?? [0, 0, 0];
      return { pages, moved };
    },
    move: () => void move.get(),
  };
}

/** What moves the log in the thread that writes. */
export function createCheckpoint(database: Database): Checkpoint {
  if (database.memory) return () => undefined;
  const log = writeAheadLog(database);
  return () => {
    const { pages, moved } = log.state();
    if (pages - moved >= PAGES_BEFORE_CHECKPOINT) log.move();
  };
}

/** Empties the log, as far as other processes' readers allow. */
export function checkpointAll(database: Database): void {
  database.pragma('wal_checkpoint(truncate)');
}
