import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { npm } from './npm.mjs';
import { nodeModules, root } from './paths.mjs';
import { BootstrapFailure, say } from './report.mjs';

const require = createRequire(import.meta.url);
const openInMemory = `new (require('better-sqlite3'))(':memory:').close()`;

const binding = join(nodeModules, 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node');

/**
 * Why SQLite's native binding must be rebuilt; null when it loads.
 *
 * @throws {BootstrapFailure} when it loads and would end the process later
 */
export function whyRebuildBinding() {
  refuseUnsafe();
  try {
    new (require('better-sqlite3'))(':memory:').close();
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return `better-sqlite3 does not load (${message.split('\n')[0]})`;
  }
}

/** @param {string} reason */
export async function rebuildBinding(reason) {
  // A failed load stays failed in this process, so a child has the last word:
  // on packages that were installed a moment ago, and on what is built now.
  if (loadsInChild() === null) {
    refuseUnsafe();
    return;
  }
  say(`${reason}: running npm rebuild better-sqlite3 (about a minute when it compiles)`);
  const rebuilt = await npm(['rebuild', 'better-sqlite3', '--ignore-scripts=false']);
  const failure = rebuilt ? loadsInChild() : 'the rebuild failed; its own message is above';
  if (failure !== null) {
    throw new BootstrapFailure(
      `better-sqlite3 does not work on Node.js ${process.versions.node}: ${failure}. It needs a prebuilt binary from GitHub, or python3, make and a C++ compiler to build one (Debian: apt-get install python3 make g++; macOS: xcode-select --install). Then run this again.`,
    );
  }
  refuseUnsafe();
}

/**
 * With the headers of Node.js 24.19 and later, objects of better-sqlite3 12 take a hook away when they are
 * collected, and Node ends the process when that happens outside of JavaScript: now and then, and at the exit.
 * Nothing else in the binding calls that function.
 */
function refuseUnsafe() {
  if (Number.parseInt(process.versions.node) < 24 || !existsSync(binding)) return;
  if (!readFileSync(binding).includes('RemoveEnvironmentCleanupHook')) return;
  throw new BootstrapFailure(
    `better-sqlite3 was compiled for Node.js ${process.versions.node}, whose headers its version 12 does not fit: it would end the process now and then. Run this on Node.js 20 or 22, or with a binary of better-sqlite3 from GitHub.`,
  );
}

function loadsInChild() {
  const { status, stderr } = spawnSync(process.execPath, ['-e', openInMemory], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status === 0) return null;
  return /^\w*Error: .*$/m.exec(stderr)?.[0] ?? `it ended with status ${status}`;
}
