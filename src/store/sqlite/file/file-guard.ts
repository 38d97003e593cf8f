import { statSync } from 'node:fs';
import { PortariaError } from '../../../kernel/errors.ts';
import { IN_MEMORY } from './open-database.ts';

/**
 * Notices that the file was moved, replaced or deleted under the open store.
 * SQLite would go on writing to what has no name any more, and everything
 * acknowledged since would be gone at the next start.
 *
 * The check throws PortariaError `store-failed`; it costs a few microseconds.
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
