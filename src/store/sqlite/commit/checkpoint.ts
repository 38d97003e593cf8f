/** Moves the write-ahead log into the database file. */
import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { freeBytes } from '../file/disk.ts';
import { BUSY_TIMEOUT_MS, MAX_LOG_BYTES } from '../file/open-database.ts';

/**
 * The pages (4 KiB each) in the write-ahead log that trigger a checkpoint. No
 * commit runs during it: small checkpoints cost little more in total, and pause
 * commits for a quarter of the time.
 */
const PAGES_PER_CHECKPOINT = 256;

/** The trigger on a disk with little space: the file needs room for the log when the disk is full. */
const PAGES_WHEN_SPACE_IS_LOW = 64;

/** The free bytes below which space is low: as much as the log may need. */
const LOW_SPACE_BYTES = MAX_LOG_BYTES;

/** Copies the write-ahead log into the file. Throws SQLite's I/O errors. */
export interface Checkpoint {
  /** Runs a checkpoint if the log is long enough. Called after each commit. */
  runIfDue(): void;
  /**
   * Makes room after a commit failed on a full disk: copies the log, provided
   * that the file can grow by it, and truncates it.
   *
   * @returns whether the log was truncated, so that a retry may succeed
   */
  makeRoom(): boolean;
}

export interface CheckpointOptions {
  /** Returns the free bytes of the file's disk. */
  readonly free?: (file: string) => number;
}

export function createCheckpoint(
  database: Database,
  { free = freeBytesIfKnown }: CheckpointOptions = {},
): Checkpoint {
  if (database.memory) return noCheckpoint;
  const log = writeAheadLog(database);
  let low = false;

  function checkSpace(): void {
    low = free(database.name) < LOW_SPACE_BYTES;
  }

  checkSpace();
  return {
    runIfDue() {
      const { pages, copied } = log.state();
      if (pages - copied < (low ? PAGES_WHEN_SPACE_IS_LOW : PAGES_PER_CHECKPOINT)) return;
      log.copy();
      checkSpace();
      if (low) log.truncate();
    },
    makeRoom() {
      low = true;
      if (log.state().pages === 0 || log.growth() > free(database.name)) return false;
      log.copy();
      return log.truncate();
    },
  };
}

/** Assumes enough space where the file system does not report it. */
function freeBytesIfKnown(file: string): number {
  try {
    return freeBytes(file);
  } catch {
    return Infinity;
  }
}

const noCheckpoint: Checkpoint = {
  runIfDue: () => undefined,
  makeRoom: () => false,
};

/** Copies and truncates the log, as far as the readers of other processes allow. */
export function checkpointAll(database: Database): void {
  database.pragma('wal_checkpoint(truncate)');
}

/**
 * Copies and truncates the log, and waits a little for readers of other processes:
 * what was erased is in the log until then.
 *
 * @returns whether the log is empty
 */
export function emptiedLog(database: Database): boolean {
  if (database.memory) return true;
  return database.pragma('wal_checkpoint(truncate)', { simple: true }) === 0;
}

/** The pages (4 KiB each) of the write-ahead log, and how many of them are copied into the file. */
export interface LogState {
  readonly pages: number;
  readonly copied: number;
}

export interface WriteAheadLog {
  state(): LogState;
  /**
   * Copies pages into the file, up to the first that another connection still
   * reads or writes. After a complete copy the next commit restarts the log.
   *
   * @throws the I/O error of SQLite
   */
  copy(): void;
  /** Truncates a log that is copied completely. Returns false while another connection reads it. */
  truncate(): boolean;
  /** Returns the bytes that a complete copy adds to the file. */
  growth(): number;
}

type CheckpointRow = [busy: number, pages: number, copied: number];

/**
 * Gives access to the log of an open file. SQLite's automatic checkpoint is off
 * because it swallows errors: after an unseen failed fsync the next one could
 * falsely succeed.
 *
 * Statements are prepared once: preparing one after each commit costs as much as
 * storing an event, and it lives until a major GC.
 */
export function writeAheadLog(database: Database): WriteAheadLog {
  const inspect = database.prepare<[], CheckpointRow>('pragma wal_checkpoint(noop)');
  inspect.raw();
  const copy = database.prepare('pragma wal_checkpoint(passive)');

  function state(): LogState {
    const [, pages, copied] = inspect.get() ?? [0, 0, 0];
    return { pages, copied };
  }

  return {
    state,
    copy: () => void copy.get(),
    truncate() {
      const { pages, copied } = state();
      if (copied < pages) return false;
      // Does not wait for readers, because commits wait for this.
      database.pragma('busy_timeout = 0');
      try {
        return database.pragma('wal_checkpoint(truncate)', { simple: true }) === 0;
      } finally {
        database.pragma(`busy_timeout = ${String(BUSY_TIMEOUT_MS)}`);
      }
    },
    growth() {
      const pages = Number(database.pragma('page_count', { simple: true }));
      const pageSize = Number(database.pragma('page_size', { simple: true }));
      return pages * pageSize - statSync(database.name).size;
    },
  };
}
