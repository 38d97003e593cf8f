import { statfsSync, statSync } from 'node:fs';
import { PortariaError } from '../../../kernel/errors.ts';
import { IN_MEMORY } from './open-database.ts';

/**
 * Returns the free bytes of the disk that holds a file or folder.
 *
 * @throws the system's error where the file system does not report it
 */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/**
 * Detects that the file was moved, replaced or deleted while the store is open.
 * SQLite would go on writing to the unnamed file, and lose everything
 * acknowledged since at the next start.
 *
 * The check throws PortariaError `store-failed`; it takes a few microseconds.
 */
export function createFileGuard(file: string): () => void {
  if (file === IN_MEMORY) return () => undefined;
  const opened = identityOf(file);
  return () => {
    if (identityOf(file) === opened) return;
    throw new PortariaError(
      'store-failed',
      `${file} was moved, replaced or deleted while in use: put it back and start again`,
    );
  };
}

function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${String(found.dev)}:${String(found.ino)}`;
}
