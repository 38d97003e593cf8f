#!/usr/bin/env node
/**
 * Checks the shape of files and folders. Files over 400 lines fail, shipped ones
 * over 300 are listed. A shipped file of 20 lines or fewer needs two importers. A
 * folder of more than 25 shipped files fails. Vague names such as `utils` fail.
 * A shipped TypeScript file begins with a comment that says what it is for.
 *
 * Prints what ships by room, and fails above the budget in `file-shape/budget.json`.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { programEntries, providerEntries } from './bootstrap/program-entries.mjs';
import { root } from './bootstrap/paths.mjs';
import budget from './file-shape/budget.json' with { type: 'json' };
import { isTest, overBudget, rooms, weigh } from './file-shape/budget.mjs';

const LONG = 300;
const TOO_LONG = 400;
const SHORT = 20;
const MAX_FILES_IN_A_FOLDER = 25;
/** What stays before the first comment: the line of the interpreter, and pragmas such as `@jsxImportSource`. */
const PRAGMAS = /^(?:#!.*\n|\/\*\* @(?:jsx|ts-).*\*\/\n|\/\/ @ts-.*\n)*/;
const VAGUE_NAME = /^(helpers?|utils?|utilities|managers?|misc|common|shared)$/;

/** What both databases share is policy and one text: the name says all that there is to say of it. */
const SHARED = join('src', 'store', 'shared');

const files = ['src', 'handlers', 'provider', 'test', 'scripts', 'demo'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /[.](tsx?|mjs)$/.test(path))
    .map((path) => join(folder, path)),
);
const sizes = files
  .map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n').length - 1 }))
  .sort((a, b) => b.lines - a.lines);

const shipped = sizes.filter(({ path }) => /^(src|handlers|provider)\b/.test(path) && !isTest(path));
const tests = sizes.filter(({ path }) => isTest(path));

/** A known violation: a check that misses it would also pass on this project. */
const tooHeavy = [{ path: join('src', 'room', 'file.ts'), lines: 2 }];
const tooSmall = { lines: 1, files: 0, testLines: 1, rooms: { 'src/room': 1 } };
if (overBudget(tooHeavy, tooHeavy, tooSmall).length !== 4) {
  console.error('file shape: known violations of a budget were not found');
  process.exit(1);
}

const problems = [
  ...overBudget(shipped, tests, budget),
  ...lonelyFiles(),
  ...crowdedFolders(),
  ...sizes.filter(({ lines }) => lines > TOO_LONG).map(({ path, lines }) => `${path} has ${lines} lines`),
  ...files.filter(hasVagueName).map((path) => `${path} has a vague name`),
  ...shipped
    .filter(({ path }) => /[.]tsx?$/.test(path) && !saysItsPurpose(path))
    .map(({ path }) => `${path} does not begin with a comment (/** … */) that says what it is for`),
];
for (const { path, lines } of shipped.filter((file) => file.lines > LONG && file.lines <= TOO_LONG)) {
  console.log(`long: ${path} (${lines} lines)`);
}
for (const problem of problems) console.error(problem);

for (const [room, { lines, files }] of rooms(shipped)) {
  console.log(`${room.padEnd(16)} ${String(lines).padStart(7)} lines ${String(files).padStart(5)} files`);
}
const median = shipped[Math.floor(shipped.length / 2)]?.lines ?? 0;
const { lines, files: count } = weigh(shipped);
console.log(
  `file shape: ${count} files ship with ${lines} lines (budget ${budget.files}, ${budget.lines}), median ${median}, longest ${shipped[0]?.lines ?? 0}; tests have ${weigh(tests).lines} lines (budget ${budget.testLines})`,
);
if (problems.length > 0 || shipped.length === 0) process.exitCode = 1;

/** @param {string} path */
function hasVagueName(path) {
  return path
    .replace(SHARED, '')
    .split(sep)
    .some((part) =>
      basename(part)
        .split(/[-.]/)
        .some((word) => VAGUE_NAME.test(word)),
    );
}

/** @param {string} path */
function saysItsPurpose(path) {
  return readFileSync(join(root, path), 'utf8').replace(PRAGMAS, '').startsWith('/**');
}

/** A short file with one importer costs its reader a hop for little. */
function lonelyFiles() {
  /** @type {Map<string, number>} */
  const importers = new Map();
  for (const { path } of shipped) {
    const text = readFileSync(join(root, path), 'utf8');
    const imported = new Set(
      [...text.matchAll(/(?:from|import)\s*\(?\s*'([.][^']+)'/g)].map(([, to = '']) =>
        join(dirname(path), to),
      ),
    );
    for (const file of imported) importers.set(file, (importers.get(file) ?? 0) + 1);
  }
  const entries = new Set([...programEntries(), ...providerEntries()]);
  return shipped
    .filter(({ path, lines }) => lines <= SHORT && !entries.has(path) && (importers.get(path) ?? 0) < 2)
    .map(({ path, lines }) => `${path} has ${lines} lines and one importer: merge the two`);
}

function crowdedFolders() {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { path } of shipped) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > MAX_FILES_IN_A_FOLDER)
    .map(([folder, count]) => `${folder} has ${count} files: divide it into folders`);
}
