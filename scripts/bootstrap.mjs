#!/usr/bin/env node
/**
 * Makes a fresh clone runnable: installs, builds, and does neither when there
 * is nothing to do. Runs before `npm start` and `npm test`, so it needs nothing
 * but Node itself.
 *
 *   --install-only   leave the build alone
 *   --rebuild        build even when no source has changed
 *
 * Writes to standard error: standard output belongs to the command that follows.
 */
import { parseArgs } from 'node:util';
import { build, whyBuild } from './bootstrap/build.mjs';
import { install, whyInstall } from './bootstrap/install.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { unsupportedNode } from './bootstrap/node-version.mjs';
import { lockFile } from './bootstrap/paths.mjs';
import { BootstrapFailure, say } from './bootstrap/report.mjs';

const started = performance.now();

try {
  const { values: options } = parseArgs({
    options: {
      'install-only': { type: 'boolean', default: false },
      rebuild: { type: 'boolean', default: false },
    },
  });
  const unsupported = unsupportedNode();
  if (unsupported !== null) throw new BootstrapFailure(unsupported);

  const steps = [
    { why: whyInstall, act: install },
    ...(options['install-only'] ? [] : [{ why: () => whyBuild(options.rebuild), act: build }]),
  ];
  if (steps.every((step) => step.why() === null)) {
    say(`up to date (${elapsed()})`);
  } else {
    await withLock(lockFile, async () => {
      // Asked again: while this run waited, another one may have done the work.
      for (const step of steps) {
        const reason = step.why();
        if (reason !== null) await step.act(reason);
      }
    });
    say(`ready (${elapsed()})`);
  }
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

function elapsed() {
  const ms = performance.now() - started;
  return ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
