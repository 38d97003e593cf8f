/** Leaves out of the build the types that nobody can name. */
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { entryPoints } from './entry-points.mjs';

const IMPORTED = /(?:from|import)\s*\(?\s*["']([.][^"']+)["']/g;

/**
 * Removes the type declarations that no entry point of the package reaches. The
 * compiler writes one for each source; a user's compiler reads a tenth of them.
 *
 * @param {string} build the folder to remove them from
 */
export function removePrivateTypes(build) {
  /** @type {Set<string>} */
  const reached = new Set();
  const waiting = entryPoints(build).map(({ file }) => file);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file) || !existsSync(file)) continue;
    reached.add(file);
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(IMPORTED))
      waiting.push(join(dirname(file), path.replace(/[.][jt]s$/, '.d.ts')));
  }
  for (const file of typesIn(build)) if (!reached.has(file)) rmSync(file);
}

/** @param {string} folder */
function typesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.d.ts'))
    .map((file) => join(folder, file));
}
