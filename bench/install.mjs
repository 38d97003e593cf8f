import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Builds Portaria, and installs the packages that only the benchmark needs, if they
 * are missing.
 *
 * @returns {string | undefined} why the peers cannot be run
 */
export function install() {
  const bootstrapped = spawnSync(process.execPath, ['scripts/bootstrap.mjs'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (bootstrapped.status !== 0) throw new Error('Portaria could not be built');
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
