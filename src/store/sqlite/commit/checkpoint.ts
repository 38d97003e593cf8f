import type { Database } from 'better-sqlite3';
import { freeBytes } from '../file/disk-room.ts';
import { LOG_BYTES } from '../file/open-database.ts';
import { writeAheadLog } from './write-ahead-log.ts';

/**
 * Pages (4 KiB each) that may wait in the write-ahead log before whoever writes
 * moves them into the file itself. Nothing is committed meanwhile: few at a time
 * cost little more in all, and four times less in a row.
 */
export const PAGES_BEFORE_CHECKPOINT = 256;

/** Fewer where the disk has little room: what the log holds when it is full, the file has to find room for. */
const PAGES_WHEN_SPARING = 64;

/** Bytes. With less than the log may need, room is spared. */
const LITTLE_ROOM = LOG_BYTES;

/** Moves the log into the file, all that it does in the thread that writes. Throws the I/O error, as SQLite gives it. */
export interface Checkpoint {
  /** To be called after each commit: moves the log when there is enough of it. */
  whenDue(): void;
  /**
   * To be called when a commit has found no room: moves the log, provided that
   * the file can grow by it, and gives its room back to the disk.
   *
   * @returns whether that was done, so that it is worth trying again
   */
  makeRoom(): boolean;
}

/** As it is where nothing else moves the log. */
export interface LocalCheckpoint extends Checkpoint {
  /** Whether the disk had little room when last looked at, so that the log is kept short. */
  sparing(): boolean;
  /** Looks how much room there is; costs microseconds. */
  look(): void;
}

export interface CheckpointOptions {
  /** Bytes that the file's disk has left. */
  readonly free?: (file: string) => number;
}

/** What moves the log in the thread that writes. */
export function createCheckpoint(
  database: Database,
  { free = freeAsFarAsKnown }: CheckpointOptions = {},
): LocalCheckpoint {
  if (database.memory) return nothingToMove;
  const log = writeAheadLog(database);
  let little = false;

  function look(): void {
    little = free(database.name) < LITTLE_ROOM;
  }

  look();
  return {
    whenDue() {
      const { pages, moved } = log.state();
      if (pages - moved < (little ? PAGES_WHEN_SPARING : PAGES_BEFORE_CHECKPOINT)) return;
      log.move();
      look();
      if (little) log.cutOff();
    },
    makeRoom() {
      little = true;
      if (log.state().pages === 0 || log.growth() > free(database.name)) return false;
      log.move();
      return log.cutOff();
    },
    sparing: () => little,
    look,
  };
}

/** Where the system does not tell, no room is spared. */
function freeAsFarAsKnown(file: string): number {
  try {
    return freeBytes(file);
  } catch {
    return Infinity;
  }
}

const nothingToMove: LocalCheckpoint = {
  whenDue: () => undefined,
  makeRoom: () => false,
  sparing: () => false,
  look: () => undefined,
};

/** Empties the log, as far as other processes' readers allow. */
export function checkpointAll(database: Database): void {
  database.pragma('wal_checkpoint(truncate)');
}
