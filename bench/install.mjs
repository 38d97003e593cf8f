import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isTooOld, oldestNode } from '../scripts/bootstrap/node-version.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Builds Portaria, and installs the packages that only the benchmark needs, if they
 * are missing.
 *
 * @returns {string | undefined} why the peers cannot be run
 * @throws on a Node.js that is older than package.json requires
 */
export function install() {
  const bootstrapped = spawnSync(process.execPath, ['scripts/bootstrap.mjs'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (bootstrapped.status !== 0) throw new Error('Portaria could not be built');
  // The packages have binaries of a newer Node.js, which an older one may not survive.
  if (isTooOld()) {
    const remedy = 'use `npm run bench`, or node_modules/.bin/node instead of `node`';
    throw new Error(`Node.js ${process.versions.node} is older than ${oldestNode()}: ${remedy}`);
  }
  if (isInstalled()) return undefined;
  console.error('bench: installing the packages of the benchmark');
  const args = ['ci', '--ignore-scripts', '--prefix', here, '--loglevel=error'];
  const installed = spawnSync('npm', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  return installed.status === 0 ? undefined : '`npm ci --prefix bench` failed';
}

function isInstalled() {
  const installed = modifiedAt('node_modules/.package-lock.json');
  return installed !== undefined && installed >= (modifiedAt('package-lock.json') ?? 0);
}

/** @param {string} path */
function modifiedAt(path) {
  return statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs;
}
