/** Keeps the licences of bundled packages in the build. */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes a package.json and the licence of each package that was bundled, so that
 * scanners of packages and images still find it.
 *
 * @param {readonly string[]} modules the files that were bundled
 * @param {string} folder gets a folder for each package
 */
export function documentLicences(modules, folder) {
  const packages = new Set(modules.filter((module) => module.includes('node_modules')).map(folderOf));
  for (const source of packages) {
    const { name, version, license, repository } = packageOf(source);
    const place = join(folder, name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), `${JSON.stringify({ name, version, license, repository })}\n`);
    const texts = readdirSync(source).filter((file) => /^(licen[cs]e|notice)/i.test(file));
    for (const file of texts) writeFileSync(join(place, file), readFileSync(join(source, file)));
  }
}

/**
 * The folder of the package that a file belongs to. A package.json without a version only describes a folder.
 *
 * @param {string} file
 */
function folderOf(file) {
  let folder = dirname(file);
  while (!existsSync(join(folder, 'package.json')) || packageOf(folder).version === undefined)
    folder = dirname(folder);
  return folder;
}

/** @param {string} folder of a package, or a folder inside one */
function packageOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
