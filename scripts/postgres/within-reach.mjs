/** Places programs where another user can run them. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/**
 * The folder of programs that a user can run. A checkout in root's home is closed to all others: then the programs are
 * copied.
 *
 * @param {string} program one of them, in a folder `bin`, beside which are its libraries
 * @param {{ readonly uid: number, readonly gid: number } | undefined} user
 * @returns {{ readonly folder: string, readonly remove: () => void }} `remove` removes the copy, if there is one
 */
export function withinReach(program, user) {
  const folder = dirname(program);
  if (user === undefined || spawnSync(program, ['--version'], { ...user, cwd: '/' }).status === 0)
    return { folder, remove: () => undefined };
  const copy = mkdtempSync(join(tmpdir(), 'portaria-postgres-programs-'));
  chmodSync(copy, 0o755);
  cpSync(dirname(folder), copy, { recursive: true, verbatimSymlinks: true });
  return {
    folder: join(copy, basename(folder)),
    remove: () => rmSync(copy, { recursive: true, force: true }),
  };
}
