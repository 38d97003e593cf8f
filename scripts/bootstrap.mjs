#!/usr/bin/env node
/**
 * Makes a fresh clone runnable: fetches a current Node.js if the machine's is too
 * old, installs packages and builds. Steps that are up to date are skipped. Runs
 * before `npm start` and `npm test`, so it needs only Node.js 18 and npm.
 *
 *   --install-only   do not build
 *   --rebuild        build even if no source has changed
 *
 * Writes to standard error: standard output belongs to the command that follows.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, whyBuild } from './bootstrap/build.mjs';
import { install, whyInstall } from './bootstrap/install.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { isTooOld } from './bootstrap/node-version.mjs';
import {
  fetchOwnNode,
  keepingOwnNode,
  ownNode,
  rejectIfForbidden,
  removeOwnNode,
  runsOnOwnNode,
} from './bootstrap/own-node.mjs';
import { lockFile } from './bootstrap/paths.mjs';
import { say } from './bootstrap/report.mjs';

const started = performance.now();

try {
  const { values: options } = parseArgs({
    options: {
      'install-only': { type: 'boolean', default: false },
      rebuild: { type: 'boolean', default: false },
    },
  });
  const wanted = process.env['PORTARIA_NODE'] ?? '';
  if (wanted !== '' && wanted !== 'system')
    say(`PORTARIA_NODE=${wanted} has no meaning: the only value is system`);
  if (wanted === 'system' && ownNode() !== null) await returnToSystemNode();
  else if (isTooOld()) await continueOnOwnNode();
  else await prepare(options);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

/** @param {{ 'install-only': boolean, rebuild: boolean }} options */
async function prepare(options) {
  const steps = [
    {
      why: whyInstall,
      act: (/** @type {string} */ reason) => keepingOwnNode((node) => install(reason, node)),
    },
    ...(options['install-only'] ? [] : [{ why: () => whyBuild(options.rebuild), act: build }]),
  ];
  if (steps.every((step) => step.why() === null)) {
    say(`up to date (${elapsed()})`);
    return;
  }
  await withLock(lockFile, async () => {
    // Check again: another bootstrap may have done the work while this one waited for the lock.
    for (const step of steps) {
      const reason = step.why();
      if (reason !== null) await step.act(reason);
    }
  });
  say(`ready (${elapsed()})`);
}

/** Fetches the project's own Node.js if it is missing, installs at the same time, and runs this script on it. */
async function continueOnOwnNode() {
  rejectIfForbidden();
  if (ownNode() === null) {
    await withLock(lockFile, async () => {
      if (ownNode() !== null) return;
      const reason = whyInstall();
      // Wait for both: the lock must be held while either writes.
      const [fetched, installed] = await Promise.allSettled([
        fetchOwnNode(),
        reason === null ? undefined : install(reason),
      ]);
      if (installed.status === 'rejected') throw installed.reason;
      if (fetched.status === 'rejected') throw fetched.reason;
      fetched.value();
    });
  }
  await rerunOn(ownNode() ?? 'node');
}

/** Removes the project's own Node.js and runs this script again on the one from the system's PATH. */
async function returnToSystemNode() {
  const ranOnOwn = runsOnOwnNode();
  await withLock(lockFile, async () => removeOwnNode());
  say('PORTARIA_NODE=system: removed the Node.js from node_modules');
  await rerunOn(ranOnOwn ? 'node' : process.execPath);
}

/** @param {string} node */
async function rerunOn(node) {
  const self = fileURLToPath(import.meta.url);
  const child = spawn(node, [self, ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

function elapsed() {
  const ms = performance.now() - started;
  return ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
