#!/usr/bin/env node
/* oxlint-disable eslint/no-console -- a program */
/**
 * Plants each fault of this folder in a copy of the sources, and simulates until it is found.
 *
 *     node test/simulation/mutants/run.mjs             all of them
 *     node test/simulation/mutants/run.mjs fold prune  those whose names have one of these
 *     node test/simulation/mutants/run.mjs --postgres  those of the folder postgres, in stories of three processes
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

const missed = [];
try {
  for (const name of names) {
    const patch = join(folder, name);
    execFileSync('git', ['apply', patch], { cwd: copy });
    const startedAt = Date.now();
    const args = ['--seeds', String(STORIES), '--from', '1', '--no-shrink', ...more];
    const run = spawnSync(process.execPath, ['test/simulation/simulate.ts', ...args], {
      cwd: copy,
      encoding: 'utf8',
      timeout: MAX_MS,
    });
    execFileSync('git', ['apply', '-R', patch], { cwd: copy });
    const found = /^seed .*$/mu.exec(run.stdout)?.[0];
    const seconds = ((Date.now() - startedAt) / 1_000).toFixed(0);
    if (found === undefined) missed.push(name);
    const what = found ?? `MISSED ${run.stderr.slice(-300)}`;
    console.log(`${name.replace('.patch', '').padEnd(32)} ${seconds.padStart(4)} s  ${what.slice(0, 140)}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${names.length - missed.length} of ${names.length} found`);
if (missed.length > 0) process.exitCode = 1;
