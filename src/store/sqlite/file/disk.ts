/** The disk and the files of a store: free space, and whether they were replaced. */
import { statfsSync, statSync } from 'node:fs';
import { PortariaError } from '../../../kernel/errors.ts';

/**
 * Returns the free bytes of the disk that holds a file or folder.
 *
 * @throws the system's error where the file system does not report it
 */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
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
