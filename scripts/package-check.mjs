#!/usr/bin/env node
/**
 * What a user would install: every entry point is in it and resolves, types
 * included; nothing is in it that has no business there; and the lock file lets
 * a fresh clone install.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageJson, root } from './bootstrap/paths.mjs';

const PACKED =
  /^(dist\/(src|handlers)\/.*[.](js|d[.]ts|js[.]map)|dist\/node_modules\/(@[^/]+\/)?[^/]+\/(index[.]js([.]map)?|package[.]json|LICENSE)|dist\/node_modules\/swagger-ui-dist\/(swagger-ui-bundle[.]js([.]LICENSE[.]txt)?|swagger-ui[.]css|NOTICE)|fixtures\/.*[.](json|ndjson|md)|[A-Z]+[.]md|LICENSE|package[.]json)$/;
const TESTS = /[.]test[.]/;

const { exports: entries, bin } = JSON.parse(readFileSync(packageJson, 'utf8'));
const packed = packedFiles();
const promised = [...Object.values(entries).flatMap(targets), ...Object.values(bin)].map(String);
const problems = [
  ...promised
    .filter((path) => !isPacked(path))
    .map((path) => `${path} is an entry point and not in the package`),
  ...packed
    .filter((path) => !PACKED.test(path) || TESTS.test(path))
    .map((path) => `${path} does not belong in it`),
];
for (const problem of problems) console.error(`package: ${problem}`);
if (problems.length > 0) process.exit(1);
console.log(`package: ${packed.length} files, every entry point among them`);

must(
  'npm',
  ['ci', '--dry-run', '--ignore-scripts', '--loglevel=error'],
  'package-lock.json does not fit package.json',
);
must(join('node_modules', '.bin', 'publint'), ['--strict', '--pack', 'npm'], 'publint objects');
must(
  join('node_modules', '.bin', 'attw'),
  ['--pack', '.', '--profile', 'esm-only', '--quiet'],
  'types do not resolve',
);

/** @returns {string[]} */
function packedFiles() {
  const { stdout, stderr } = npmOrTool('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], 'pipe');
  try {
    return JSON.parse(stdout)[0].files.map((/** @type {{ path: string }} */ { path }) => path);
  } catch {
    console.error(stderr);
    process.exit(1);
  }
}

/**
 * @param {unknown} entry
 * @returns {unknown[]}
 */
function targets(entry) {
  return typeof entry === 'object' && entry !== null ? Object.values(entry).flatMap(targets) : [entry];
}

/** @param {string} promise */
function isPacked(promise) {
  const [before = '', after] = promise.replace(/^[.]\//, '').split('*');
  return packed.some((path) =>
    after === undefined ? path === before : path.startsWith(before) && path.endsWith(after),
  );
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} otherwise
 */
function must(command, args, otherwise) {
  if (npmOrTool(command, args, 'inherit').status === 0) return;
  console.error(`package: ${otherwise}`);
  process.exit(1);
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {'pipe' | 'inherit'} output
 */
function npmOrTool(command, args, output) {
  const stdio = /** @type {const} */ (['ignore', output, output]);
  return spawnSync(command, args, {
    cwd: root,
    stdio: [...stdio],
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
}
