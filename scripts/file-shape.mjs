#!/usr/bin/env node
/**
 * Files are short and named after what they hold: none above 400 lines, those
 * above 250 are listed, and no name says nothing.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { root } from './bootstrap/paths.mjs';

const LONG = 250;
const TOO_LONG = 400;
const SAYS_NOTHING = /^(helpers?|utils?|utilities|managers?|misc|common|shared)$/;

const files = ['src', 'handlers', 'provider', 'test', 'scripts', 'demo'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /[.](ts|mjs)$/.test(path))
    .map((path) => join(folder, path)),
);
const sizes = files
  .map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n').length - 1 }))
  .sort((a, b) => b.lines - a.lines);

const problems = [
  ...sizes.filter(({ lines }) => lines > TOO_LONG).map(({ path, lines }) => `${path} has ${lines} lines`),
  ...files.filter(hasEmptyName).map((path) => `${path} has a name that says nothing`),
];
for (const { path, lines } of sizes.filter((file) => file.lines > LONG && file.lines <= TOO_LONG)) {
  console.log(`long: ${path} (${lines} lines)`);
}
for (const problem of problems) console.error(problem);

const shipped = sizes.filter(
  ({ path }) => /^(src|handlers|provider)\b(?!\/test)/.test(path) && !path.endsWith('.test.ts'),
);
const median = shipped[Math.floor(shipped.length / 2)]?.lines ?? 0;
console.log(
  `file shape: ${shipped.length} sources, median ${median} lines, longest ${shipped[0]?.lines ?? 0}`,
);
if (problems.length > 0 || shipped.length === 0) process.exitCode = 1;

/** @param {string} path */
function hasEmptyName(path) {
  return path.split(sep).some((part) =>
    basename(part)
      .split(/[-.]/)
      .some((word) => SAYS_NOTHING.test(word)),
  );
}
