import { closeSync, openSync } from 'node:fs';

/**
 * Makes an empty file that only its owner can read, unless there is one.
 *
 * An existing file is never opened here: closing any descriptor of a file drops
 * the locks that SQLite holds on it elsewhere in this process.
 *
 * @throws the operating system's error when it cannot be made
 */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
