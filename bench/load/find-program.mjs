import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The path of a program, or undefined. Searches PATH, then Debian's folders of
 * PostgreSQL (`/usr/lib/postgresql/<version>/bin`, newest first).
 *
 * @param {string} name
 */
export function findProgram(name) {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...postgresFolders()];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function postgresFolders() {
  const place = '/usr/lib/postgresql';
  try {
    return readdirSync(place)
      .sort((one, other) => Number(other) - Number(one))
      .map((version) => join(place, version, 'bin'));
  } catch {
    return [];
  }
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
