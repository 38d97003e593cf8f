import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { BUSY_TIMEOUT_MS } from '../file/open-database.ts';

/** Pages (4 KiB each) of the write-ahead log: all, and how many of them are in the file already. */
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
  /** Gives the room of a log that is moved as a whole back to the disk. Returns false when somebody still reads it. */
  cutOff(): boolean;
  /** Bytes by which the file grows when all is moved. */
  growth(): number;
}

type CheckpointRow = [busy: number, log: number, checkpointed: number];

/**
 * SQLite's automatic checkpoint is off because it swallows errors: a failed
 * fsync there would go unseen, and the next could falsely succeed.
 *
 * Statements are prepared once: one prepared after each commit costs as much as
 * storing an event, and lives until all of the heap is collected.
 */
export function writeAheadLog(database: Database): WriteAheadLog {
  const look = database.prepare<[], CheckpointRow>('pragma wal_checkpoint(noop)');
  look.raw();
  const move = database.prepare('pragma wal_checkpoint(passive)');

  function state(): LogState {
    const [, pages, moved] = look.get() ?? [0, 0, 0];
    return { pages, moved };
  }

  return {
    state,
    move: () => void move.get(),
    cutOff() {
      const { pages, moved } = state();
      if (moved < pages) return false;
      // Readers are not waited for: nobody would commit meanwhile.
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
