/** The disk and the files of a store: free space, limits of growth, and whether they were replaced. */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { PortariaError } from '../../../kernel/errors.ts';
import { codeOf } from '../../shared/error-meaning.ts';

/**
 * Returns the free bytes of the disk that holds a file or folder.
 *
 * @throws the system's error where the file system does not report it
 */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** The bytes of a write that finds out whether a file may grow. */
const PROBE_BYTES = 64 * 1024;

/**
 * Whether a full disk, a quota or a limit of the size of files keeps a database from growing. SQLite tells only the
 * first of them from a disk that fails.
 */
export function cannotGrow(database: string): boolean {
  const probe = `${database}.probe`;
  const sizes = [database, `${database}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size);
  try {
    const descriptor = openSync(probe, 'w', 0o600);
    try {
      const end = Math.max(0, ...sizes.map((size) => size ?? 0));
      return writeSync(descriptor, randomBytes(PROBE_BYTES), 0, PROBE_BYTES, end) < PROBE_BYTES;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(codeOf(error));
  } finally {
    rmSync(probe, { force: true });
  }
}

/** A file that must stay in its place while the store is open. */
export interface WatchedFile {
  readonly path: string;
  /** Device and inode; undefined when the file was missing already. */
  readonly identity: string | undefined;
  /** What to do when it was moved, replaced or deleted. */
  readonly remedy: string;
}

/** @param remedy what to do when the file was moved, replaced or deleted */
export function watchFile(path: string, remedy: string): WatchedFile {
  return { path, identity: identityOf(path), remedy };
}

/**
 * Detects that a file was moved, replaced or deleted while the store is open.
 * SQLite would go on writing to an unnamed database, and lose everything
 * acknowledged since at the next start; beside a new lock, a second owner can run.
 *
 * The check throws PortariaError `store-failed`; it takes a few microseconds.
 */
export function createFileGuard(files: readonly WatchedFile[]): () => void {
  return () => {
    for (const { path, identity, remedy } of files) {
      if (identity !== undefined && identityOf(path) === identity) continue;
      throw new PortariaError(
        'store-failed',
        `${path} was moved, replaced or deleted while in use: ${remedy}`,
      );
    }
  };
}

function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${String(found.dev)}:${String(found.ino)}`;
}
