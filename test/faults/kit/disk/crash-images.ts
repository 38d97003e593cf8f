import type { Moment } from '../moments.ts';
import type { Draws } from '../seed.ts';
import { checkpointedFrames, lengthOf } from './write-ahead-log.ts';

/** The files that a power loss may leave, and the number of complete frames in the log. */
export interface CrashImage {
  readonly database: Buffer;
  readonly log: Buffer;
  readonly frames: number;
}

/** Cuts the log at every frame boundary that no earlier moment of the same log covers. */
export function* cutAtFrames(
  { database, log, wal, index }: Moment,
  last: Moment | undefined,
): Generator<CrashImage> {
  // A checkpoint syncs the frames before it copies them.
  const synced = checkpointedFrames(index);
  const known = last?.wal.salt === wal.salt ? last.wal.frames.length + 1 : 0;
  const from = Math.max(synced, Math.min(known, wal.frames.length));
  for (let frames = from; frames <= wal.frames.length; frames += 1)
    yield { database, log: log.subarray(0, lengthOf(frames, wal)), frames };
}

/** Cuts the log inside a frame and appends garbage. */
export function* cutInsideFrames(
  { database, log, wal, index }: Moment,
  { between }: Draws,
  count: number,
): Generator<CrashImage> {
  const synced = checkpointedFrames(index);
  for (let cuts = 0; cuts < count && synced < wal.frames.length; cuts += 1) {
    const frames = between(synced, wal.frames.length - 1);
    const cut = between(lengthOf(frames, wal) + 1, lengthOf(frames + 1, wal) - 1);
    const garbage = Buffer.alloc(between(0, 2 * wal.pageSize), between(0, 255));
    yield { database, log: Buffer.concat([log.subarray(0, cut), garbage]), frames };
  }
}

/** Overwrites pages that a checkpoint was writing with garbage; the log still has them. */
export function* tornCheckpoints(
  { database, log, wal, index }: Moment,
  { between }: Draws,
  count: number,
): Generator<CrashImage> {
  const pages = database.length / wal.pageSize;
  const copied = wal.frames.slice(0, checkpointedFrames(index)).filter((page) => page > 1 && page <= pages);
  for (let tears = 0; tears < count && copied.length > 0; tears += 1) {
    const torn = Buffer.from(database);
    const page = copied[between(0, copied.length - 1)] ?? 0;
    torn.fill(0x5a, (page - 1) * wal.pageSize, page * wal.pageSize - between(0, wal.pageSize - 1));
    yield { database: torn, log, frames: wal.frames.length };
  }
}
