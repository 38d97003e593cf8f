/** The layout of SQLite's write-ahead log and of its index (https://www.sqlite.org/walformat.html). */

const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** Where the index says how far a checkpoint has come, or has tried to. */
const CHECKPOINT_ATTEMPTED = 128;

export interface WriteAheadLog {
  /** Names the log's generation: another one after each reset. */
  readonly salt: string;
  /** Pages in the order in which they were written, by their number in the database, from 1. */
  readonly frames: readonly number[];
  readonly pageSize: number;
}

export function readLog(log: Buffer): WriteAheadLog {
  if (log.length < LOG_HEADER) return { salt: '', frames: [], pageSize: 0 };
  const pageSize = log.readUInt32BE(8);
  const saltOf = (at: number): string => log.toString('hex', at, at + 8);
  const salt = saltOf(16);
  const frames: number[] = [];
  for (
    let at = LOG_HEADER;
    // What follows the last frame of this generation is left over from the one before.
    at + FRAME_HEADER + pageSize <= log.length && saltOf(at + 8) === salt;
    at += FRAME_HEADER + pageSize
  )
    frames.push(log.readUInt32BE(at));
  return { salt, frames, pageSize };
}

/** Bytes of a log of so many frames. */
export function lengthOf(frames: number, { pageSize }: WriteAheadLog): number {
  return LOG_HEADER + frames * (FRAME_HEADER + pageSize);
}

/** Frames that may already have been copied into the database, by the log's index (`-shm`). */
export function checkpointedFrames(index: Buffer): number {
  return index.length > CHECKPOINT_ATTEMPTED ? index.readUInt32LE(CHECKPOINT_ATTEMPTED) : 0;
}
