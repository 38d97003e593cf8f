/** The project's own Node.js, for machines whose Node.js is too old. */
import { existsSync, linkSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fetchPackage, pinnedPackages } from './fetch-package.mjs';
import { isTooOld, oldestNode } from './node-version.mjs';
import { nodeModules } from './paths.mjs';
import { BootstrapFailure, say } from './report.mjs';

/** @typedef {import('./fetch-package.mjs').PinnedPackage} PinnedPackage */

const isWindows = process.platform === 'win32';
/** npm scripts and npx search this folder before the system's PATH. */
const bin = join(nodeModules, '.bin');
const link = join(bin, isWindows ? 'node.exe' : 'node');

const tooOld = () => `Node.js ${process.versions.node} (${process.execPath}) is older than ${oldestNode()}`;
const INSTALL_ONE = 'Install a current one from https://nodejs.org, or with `nvm install 24`.';

/** The pinned versions of Node.js for this machine, the one to prefer first. */
export function nodePackages() {
  return pinnedPackages(new URL('./node-packages.json', import.meta.url));
}

/** @param {PinnedPackage} wanted */
export function nodeBinary({ folder }) {
  return join(folder, 'bin', isWindows ? 'node.exe' : 'node');
}

/**
 * @param {PinnedPackage} wanted
 * @param {string} reason
 * @throws {BootstrapFailure} if npm cannot fetch it, or the digest differs
 */
export async function fetchNode(wanted, reason) {
  if (await fetchPackage(wanted, reason)) return;
  throw new BootstrapFailure(
    `npm could not fetch ${wanted.name}@${wanted.version}; its message is above. It needs the npm registry or a filled npm cache. Alternatively, ${INSTALL_ONE.toLowerCase()}`,
  );
}

/**
 * The Node.js that the bootstrap must continue on: fetched and linked if this one is too old.
 *
 * @returns {Promise<string | undefined>} undefined if this one will do
 * @throws {BootstrapFailure} if the environment forbids it, or npm has no package for this machine
 */
export async function otherNode() {
  const isForbidden = process.env['PORTARIA_NODE'] === 'system';
  const [wanted] = nodePackages();
  if (isForbidden && wanted !== undefined && existsSync(wanted.folder)) {
    rmSync(link, { force: true });
    rmSync(wanted.folder, { recursive: true });
    say(`PORTARIA_NODE=system: removed Node.js ${wanted.version}`);
    if (runsOnOwnNode()) return 'node';
  }
  if (!isTooOld()) return undefined;
  if (isForbidden)
    throw new BootstrapFailure(
      `${tooOld()}, and PORTARIA_NODE=system forbids fetching another one. ${INSTALL_ONE}`,
    );
  if (wanted === undefined)
    throw new BootstrapFailure(
      `${tooOld()}, and npm has no package of Node.js for this machine. ${INSTALL_ONE}`,
    );
  await fetchNode(wanted, tooOld());
  return nodeBinary(wanted);
}

/** The reason why `node_modules/.bin/node` must be made: it is missing, and the project's own Node.js runs this. */
export function whyLink() {
  return runsOnOwnNode() && !existsSync(link) ? 'node_modules/.bin/node is missing' : null;
}

export function linkOwnNode() {
  mkdirSync(bin, { recursive: true });
  rmSync(link, { force: true });
  // On Windows, symbolic links need administrator rights.
  if (isWindows) linkSync(process.execPath, link);
  else symlinkSync(relative(bin, process.execPath), link);
}

function runsOnOwnNode() {
  return process.execPath === link || nodePackages().some((own) => process.execPath === nodeBinary(own));
}
