#!/usr/bin/env node
/* oxlint-disable eslint/no-console -- a program */
/**
 * Plants each fault of this folder in a copy of the sources, and simulates until it is found.
 *
 *     node test/simulation/mutants/run.mjs             all of them
 *     node test/simulation/mutants/run.mjs fold prune  those whose names have one of these
 *     node test/simulation/mutants/run.mjs --postgres  those of the folder postgres, in stories of three processes
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fitted } from './fitted.ts';

/** Stories for each fault: the same ones, so that what is found does not depend on the machine. */
const STORIES = 12;
const MAX_MS = 600_000;

const root = join(import.meta.dirname, '../../..');
const onPostgres = process.argv.includes('--postgres');
const folder = onPostgres ? join(import.meta.dirname, 'postgres') : import.meta.dirname;
const wanted = process.argv.slice(2).filter((argument) => argument !== '--postgres');
const more = onPostgres ? ['--postgres', '--receivers', '3', '--steps', '80', '--jobs', '1'] : [];
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.patch'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));

const copy = mkdtempSync(join(tmpdir(), 'portaria-mutants-'));
for (const path of [
  'package.json',
  'src',
  'handlers',
  'test/simulation',
  'test/support',
  'scripts',
  'bench/servers',
])
  cpSync(join(root, path), join(copy, path), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

/**
 * Simulates with a fault. Returns whether it was found, and what is said of it.
 *
 * @param {string} name
 * @returns {readonly [boolean, string]}
 */
function tryFault(name) {
  const { path, from, to } = fitted(readFileSync(join(folder, name), 'utf8'), copy);
  if (to === null) return [false, `FITS NOWHERE in ${path}`];
  writeFileSync(join(copy, path), to);
  const args = ['--seeds', String(STORIES), '--from', '1', '--no-shrink', ...more];
  const run = spawnSync(process.execPath, ['test/simulation/simulate.ts', ...args], {
    cwd: copy,
    encoding: 'utf8',
    timeout: MAX_MS,
  });
  writeFileSync(join(copy, path), from);
  const found = /^seed .*$/mu.exec(run.stdout)?.[0];
  return [found !== undefined, found ?? `MISSED ${run.stderr.slice(-300)}`];
}

let found = 0;
try {
  for (const name of names) {
    const startedAt = Date.now();
    const [isFound, what] = tryFault(name);
    if (isFound) found += 1;
    const seconds = ((Date.now() - startedAt) / 1_000).toFixed(0);
    console.log(`${name.replace('.patch', '').padEnd(32)} ${seconds.padStart(4)} s  ${what.slice(0, 140)}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${found} of ${names.length} found`);
if (found < names.length) process.exitCode = 1;
