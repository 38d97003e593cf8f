#!/usr/bin/env node
/**
 * Removes every file from a built checkout that a start does not need: types,
 * documents, binaries of other platforms, bundled libraries, and the provider. The Dockerfile runs
 * it on its own copy. Do not run it on a checkout that you work in.
 *
 *   node scripts/slim-image.mjs <folder>
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundledLibraries } from './bootstrap/bundle-program.mjs';

const folder = process.argv[2];
if (folder === undefined) {
  console.error(
    'usage: node scripts/slim-image.mjs <folder>   (the folder is no longer usable for development)',
  );
  process.exit(2);
}

const dist = join(folder, 'dist');
if (!existsSync(dist)) {
  console.error(`${dist} is missing: build first`);
  process.exit(1);
}
const modules = join(folder, 'node_modules');
const LICENCE = /(^|[\\/])(licen[cs]e|copying|notice)[^\\/]*$/i;
const NOT_LOADED = /[.]d[.][cm]?ts$|[.](md|markdown|flow|cc|cpp|h|gyp)$|[.]map$/i;

// The stand-in of the provider is a package of its own, and no part of the image.
for (const name of [...bundledLibraries, '@portaria', 'node-forge']) remove(name);
for (const part of ['deps', 'src', 'binding.gyp']) remove('better-sqlite3', part);
for (const binary of readdirSync(join(modules, 'better-sqlite3', 'prebuilds'))) {
  if (!binary.startsWith('linux') || !binary.endsWith(`-${process.arch}.node`))
    remove('better-sqlite3', 'prebuilds', binary);
}
// The build imports `libphonenumber-js/max`, which uses `core`.
for (const part of ['bundle', 'build', 'min', 'mobile', 'source', 'es6-modern'])
  remove('libphonenumber-js', part);
for (const set of ['full', 'min', 'mobile']) {
  for (const ending of ['json', 'json.js']) remove('libphonenumber-js', `metadata.${set}.${ending}`);
}
for (const file of readdirSync(modules, { recursive: true, encoding: 'utf8' })) {
  if (NOT_LOADED.test(file) && !LICENCE.test(file)) remove(file);
}
for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.d.ts')) rmSync(join(dist, file), { force: true });
}

/** @param {string[]} path below `node_modules` */
function remove(...path) {
  rmSync(join(modules, ...path), { recursive: true, force: true });
}
