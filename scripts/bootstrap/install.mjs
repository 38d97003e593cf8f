/** Installs what the lock file lists. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMusl } from './fetch-package.mjs';
import { npm } from './npm.mjs';
import { installedLock, nodeModules, packageLock } from './paths.mjs';
import { BootstrapFailure, say } from './report.mjs';

/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, devOptional?: boolean,
 *   peer?: boolean, os?: string[], cpu?: string[], libc?: string[] }} LockedPackage
 */

/** The reason why packages must be installed, or null if npm's own record has all of them. */
export function whyInstall() {
  if (!existsSync(installedLock)) return 'node_modules is missing or incomplete';
  const installed = packagesIn(installedLock);
  const library = isMusl() ? 'musl' : 'glibc';
  const missing = Object.entries(packagesIn(packageLock)).find(
    ([path, wanted]) =>
      path !== '' &&
      isForThisMachine(wanted, library) &&
      (installed[path]?.version !== wanted.version || installed[path]?.integrity !== wanted.integrity),
  );
  return missing === undefined ? null : `${missing[0]} is not what package-lock.json asks for`;
}

/** @param {string} reason */
export async function install(reason) {
  say(`${reason}: running npm ci`);
  // The build needs development packages, whatever NODE_ENV is.
  if (!(await npm(['ci', '--include=dev']))) {
    throw new BootstrapFailure(
      'npm ci failed; its message is above. It needs the npm registry or a filled npm cache.',
    );
  }
}

/** `npm start` uses `exec`, so that signals to npm reach the server. Windows has no such builtin. */
export function provideExec() {
  if (process.platform === 'win32') writeFileSync(join(nodeModules, '.bin', 'exec.cmd'), '@%*\r\n');
}

/**
 * An optional package without `os` may be left out; one that names this platform must be there.
 *
 * @param {LockedPackage} wanted
 * @param {string} library the C library of this machine
 */
function isForThisMachine({ os, cpu, libc, link, optional, devOptional, peer }, library) {
  const fits = (/** @type {string[] | undefined} */ values, /** @type {string} */ own) =>
    values?.includes(own) ?? true;
  return (
    !link &&
    fits(os, process.platform) &&
    fits(cpu, process.arch) &&
    fits(libc, library) &&
    (os !== undefined || !(optional || devOptional || peer))
  );
}

/**
 * @param {string} lock a lock file
 * @returns {Record<string, LockedPackage>}
 */
function packagesIn(lock) {
  return JSON.parse(readFileSync(lock, 'utf8')).packages;
}
