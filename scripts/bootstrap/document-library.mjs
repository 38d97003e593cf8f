import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeModules } from './paths.mjs';

/**
 * Writes a package.json and the licences of all packages in it beside a bundled library.
 *
 * @param {string} name
 * @param {readonly string[]} modules the files that were bundled
 * @param {string} folder
 */
export function documentLibrary(name, modules, folder) {
  const { version, license, repository } = packageOf(join(nodeModules, name));
  const description = { name, version, license, repository, type: 'module', exports: './index.js' };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(description)}\n`);
  const packages = new Set(modules.filter((module) => module.includes('node_modules')).map(folderOf));
  writeFileSync(join(folder, 'LICENSE'), [...packages].map(licenseOf).join('\n---\n\n'));
}

/** @param {string} folder of a package, or a folder inside one */
function packageOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
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

/** @param {string} folder of a package; some name their licence in package.json only */
function licenseOf(folder) {
  const { name, version, license } = packageOf(folder);
  const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  return [
    `${name} ${version}: ${license}\n`,
    ...texts.map((file) => readFileSync(join(folder, file), 'utf8')),
  ].join('\n');
}
