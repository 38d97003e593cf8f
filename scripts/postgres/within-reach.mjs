import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Folders of programs that a user can reach, by the folder where they are. @type {Map<string, string>} */
const reached = new Map();

/**
 * A path of a program that a user can run. A checkout in root's home is closed to all others: then the programs are
 * copied for the lifetime of this process.
 *
 * @param {string} path in a folder `bin`, beside which are the program's libraries
 * @param {{ readonly uid: number, readonly gid: number } | undefined} user
 */
export function withinReach(path, user) {
  const folder = dirname(path);
  if (user === undefined) return path;
  const known = reached.get(folder) ?? (mayRun(path, user) ? folder : copyOf(folder));
  reached.set(folder, known);
  return join(known, basename(path));
}

/**
 * @param {string} path
 * @param {{ readonly uid: number, readonly gid: number }} user
 */
function mayRun(path, user) {
  return spawnSync(path, ['--version'], { ...user, cwd: '/' }).status === 0;
}

/** @param {string} folder */
function copyOf(folder) {
  const copy = mkdtempSync(join(tmpdir(), 'portaria-postgres-programs-'));
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  chmodSync(copy, 0o755);
  cpSync(dirname(folder), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, basename(folder));
}
