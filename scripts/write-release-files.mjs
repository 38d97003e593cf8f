#!/usr/bin/env node
/**
 * Writes what a release consists of into a folder: the tarballs of the built packages, for each its bill of materials
 * and the licences of what it brings, and the checksums of all.
 *
 *   node scripts/write-release-files.mjs <folder>
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap/paths.mjs';
import { billOfMaterials, licenceOf } from './supply-chain/bill-of-materials.mjs';

const folder = process.argv[2];
if (folder === undefined) {
  console.error('usage: node scripts/write-release-files.mjs <folder>');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
for (const source of [root, join(root, 'provider')]) {
  const pack = ['pack', source, '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }));
  const bill = billOfMaterials(manifestOf(source), containedIn(join(source, 'dist')));
  const write = (/** @type {string} */ kind, /** @type {string} */ text) =>
    writeFileSync(join(folder, filename.replace(/[.]tgz$/, kind)), text);
  write('.cdx.json', `${JSON.stringify(bill, null, 2)}\n`);
  const licences = bill.components.map((each) => `${each.name} ${each.version} ${licenceOf(each)}\n`);
  write('.licences.txt', licences.sort().join(''));
}
const sums = readdirSync(folder)
  .filter((name) => name !== 'SHA256SUMS')
  .map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex')}  ${name}\n`,
  );
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));

/**
 * The packages in a build: the build has a package.json of each.
 *
 * @param {string} dist
 */
function containedIn(dist) {
  const found = globSync('{licences,node_modules}/{*,@*/*}/package.json', { cwd: dist });
  return found.map((path) => {
    const { name, version } = manifestOf(join(dist, path, '..'));
    return `${name}@${version}`;
  });
}

/** @param {string} source */
function manifestOf(source) {
  return JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
}
