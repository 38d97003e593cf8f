/** Installs what the lock file lists. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMusl } from './fetch-package.mjs';
import { isTooOld } from './node-version.mjs';
import { npm, QUIETLY } from './npm.mjs';
import { installStamp, installedLock, nodeModules, packageLock, root } from './paths.mjs';
import { BootstrapFailure, say } from './report.mjs';

/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, devOptional?: boolean,
 *   peer?: boolean, os?: string[], cpu?: string[], libc?: string[] }} LockedPackage
 */

/** The reason why packages must be installed, or null if all of them are. */
export function whyInstall() {
  if (!existsSync(nodeModules)) return 'node_modules is missing';
  if (read(installStamp) === currentStamp()) return null;
  // A developer may have run npm by hand: trust npm's own record before installing again.
  const difference = firstDifference();
  if (difference === null) markInstalled();
  return difference;
}

/**
 * @param {string} reason
 * @param {string} [node] the binary that runs npm
 */
export async function install(reason, node) {
  say(`${reason}: running npm ci`);
  // The build needs development packages, whatever NODE_ENV is. An older Node.js only unpacks them.
  const installed = await npm(['ci', '--include=dev', '--engine-strict=false', ...QUIETLY], { node });
  if (!installed) {
    throw new BootstrapFailure(
      'npm ci failed; its message is above. It needs the npm registry or a filled npm cache.',
    );
  }
  // An older Node.js makes npm leave out optional packages that need a newer one. Without the stamp, the run on the
  // fetched Node.js installs again.
  if (!isTooOld() || firstDifference() === null) markInstalled();
}

function markInstalled() {
  // `npm start` uses `exec`, so that signals to npm reach the server. Windows has no such builtin.
  if (process.platform === 'win32') writeFileSync(join(nodeModules, '.bin', 'exec.cmd'), '@%*\r\n');
  writeFileSync(installStamp, currentStamp());
}

function currentStamp() {
  const lock = createHash('sha256').update(readFileSync(packageLock)).digest('hex');
  return `${lock} ${process.platform}-${process.arch}\n`;
}

/** The first package that npm's record of the installed tree lacks, as a message; null if there is none. */
function firstDifference() {
  const record = read(installedLock);
  if (record === null) return 'node_modules is incomplete';
  const installed = JSON.parse(record).packages;
  /** @type {Record<string, LockedPackage>} */
  const locked = JSON.parse(readFileSync(packageLock, 'utf8')).packages;
  const library = isMusl() ? 'musl' : 'glibc';
  for (const [path, wanted] of Object.entries(locked)) {
    if (path === '' || wanted.link || !isForThisMachine(wanted, library)) continue;
    const found = installed[path];
    if (
      found?.version !== wanted.version ||
      found?.integrity !== wanted.integrity ||
      !existsSync(join(root, path))
    ) {
      return `${path} is not what package-lock.json asks for`;
    }
  }
  return null;
}

/**
 * @param {LockedPackage} wanted
 * @param {string} library the C library of this machine
 */
function isForThisMachine({ os, cpu, libc, optional, devOptional, peer }, library) {
  const fits = (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true);
  if (!fits || !(libc?.includes(library) ?? true)) return false;
  // An optional package without `os` may be left out; one that names this platform must be there.
  return !(optional || devOptional || peer) || os !== undefined;
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
