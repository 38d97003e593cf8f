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
import { install, provideExec, whyInstall } from './bootstrap/install.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { linkOwnNode, otherNode, whyLink } from './bootstrap/own-node.mjs';
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
  const other = await otherNode();
  if (other === undefined) await prepare(options);
  else await rerunOn(other);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

/** @param {{ 'install-only': boolean, rebuild: boolean }} options */
async function prepare(options) {
  const steps = [
    { why: whyInstall, act: install },
    { why: whyLink, act: linkOwnNode },
    ...(options['install-only'] ? [] : [{ why: () => whyBuild(options.rebuild), act: build }]),
  ];
  const isReady = steps.every((step) => step.why() === null);
  if (!isReady)
    await withLock(lockFile, async () => {
      // Check again: another bootstrap may have done the work while this one waited for the lock.
      for (const step of steps) {
        const reason = step.why();
        if (reason !== null) await step.act(reason);
      }
    });
  provideExec();
  say(`${isReady ? 'up to date' : 'ready'} (${elapsed()})`);
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
