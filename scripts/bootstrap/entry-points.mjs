/** The entry points of the package that have types, as `exports` of package.json names them. */
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { packageJson } from './paths.mjs';

/**
 * @param {string} build the folder of the build
 * @returns {{ readonly name: string, readonly file: string }[]} what users import, and its declarations
 */
export function entryPoints(build) {
  const { name, exports } = JSON.parse(readFileSync(packageJson, 'utf8'));
  return Object.entries(exports).flatMap(([path, { types }]) => {
    if (types === undefined) return [];
    const file = join(build, types.replace(/^[.][/]dist[/]/, ''));
    const names = file.includes('*') ? namesIn(dirname(file)) : [''];
    return names.map((each) => ({
      name: posix.join(name, path.replace('*', each)),
      file: file.replace('*', each),
    }));
  });
}

/** @param {string} folder */
function namesIn(folder) {
  const declarations = readdirSync(folder).filter((file) => file.endsWith('.d.ts'));
  return declarations.map((file) => basename(file, '.d.ts')).sort();
}
