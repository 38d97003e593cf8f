/** Reads SQLite's write-ahead log and its index (https://www.sqlite.org/walformat.html). */

const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** Offset in the index of the number of frames that a checkpoint has tried to copy. */
const CHECKPOINT_ATTEMPTED = 128;

export interface WriteAheadLog {
  /** The generation of the log: it changes at each reset. */
  readonly salt: string;
  /** The page number of each frame, in the order of writing. Pages count from 1. */
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
    // Frames after the last one of this generation are left over from the previous one.
    at + FRAME_HEADER + pageSize <= log.length && saltOf(at + 8) === salt;
    at += FRAME_HEADER + pageSize
  )
    frames.push(log.readUInt32BE(at));
  return { salt, frames, pageSize };
}

/** The length in bytes of a log with `frames` frames. */
export function lengthOf(frames: number, { pageSize }: WriteAheadLog): number {
  return LOG_HEADER + frames * (FRAME_HEADER + pageSize);
}

/** The number of frames that may have been copied into the database, from the index (`-shm`). */
export function checkpointedFrames(index: Buffer): number {
  return index.length > CHECKPOINT_ATTEMPTED ? index.readUInt32LE(CHECKPOINT_ATTEMPTED) : 0;
}
