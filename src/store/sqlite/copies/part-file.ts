/** A copy of a database while it is made, under a name of its own beside the file that it becomes. */
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { acquireExclusiveLock } from '../../../kernel/files/exclusive-lock.ts';
import { ERASURE_LOCK_SUFFIX } from '../../../kernel/files/private-files.ts';

/** Ends the name of the file whose lock tells that the process which makes the copy lives. */
const LOCK_SUFFIX = '.making';

const LOCK_NAME = /\.[0-9a-f]{12}\.part\.making$/;

export interface PartFile {
  readonly path: string;
  /** Removes the copy, if it has not got its name, and what stands beside it. */
  readonly discard: () => void;
}

/** Names a copy, and removes those that dead processes have left in its folder. */
export function createPartFile(to: string): PartFile {
  for (const name of readdirSync(dirname(to))) if (LOCK_NAME.test(name)) removeDead(join(dirname(to), name));
  const path = `${to}.${randomBytes(6).toString('hex')}.part`;
  const release = acquireExclusiveLock(`${path}${LOCK_SUFFIX}`);
  return {
    path,
    discard: () => {
      remove(path, release);
    },
  };
}

function removeDead(lock: string): void {
  try {
    remove(lock.slice(0, -LOCK_SUFFIX.length), acquireExclusiveLock(lock));
  } catch {
    // Its process lives, or it is another user's.
  }
}

function remove(path: string, release: () => void): void {
  for (const suffix of ['', '-journal', '-wal', '-shm', '.lock', '.reserve', ERASURE_LOCK_SUFFIX])
    rmSync(`${path}${suffix}`, { force: true });
  release();
  rmSync(`${path}${LOCK_SUFFIX}`, { force: true });
}
