/** Writes text files that are complete or absent. */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { PortariaError } from '../../kernel/errors.ts';

export interface WholeFile {
  readonly text: string;
  /** The path as the user wrote it, for messages. */
  readonly shownAs: string;
  /** Whether an existing file may be replaced. */
  readonly force: boolean;
}

/**
 * Writes a text file that is complete as soon as it has its name: it is written beside the name first. A failure
 * leaves the previous file, or none.
 *
 * @throws PortariaError `invalid-argument` when the file exists and `force` is not set, or it cannot be written
 */
export function writeWholeFile(path: string, { text, shownAs, force }: WholeFile): void {
  // The handlers folder does not load files that end in `.part`.
  const part = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    const file = openSync(part, 'wx');
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    // A link never replaces a file, not even one that has just been created.
    if (force) renameSync(part, path);
    else linkSync(part, path);
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    if (exists) throw new PortariaError('invalid-argument', `${shownAs} exists; --force replaces it`);
    throw new PortariaError('invalid-argument', `${shownAs} cannot be written`, { cause });
  } finally {
    rmSync(part, { force: true });
  }
}
