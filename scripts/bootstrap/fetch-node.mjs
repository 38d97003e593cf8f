/** The pinned versions of Node.js. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchPackage, packageFolder, pinnedPackages } from './fetch-package.mjs';
import { BootstrapFailure } from './report.mjs';

/** @typedef {import('./fetch-package.mjs').PinnedPackage} PinnedPackage */

/** The pinned versions of Node.js for this machine. */
export function nodePackages() {
  return pinnedPackages(new URL('./node-packages.json', import.meta.url));
}

/**
 * The paths of a fetched package and its binary.
 *
 * @param {string} project the folder that it was fetched into
 * @param {PinnedPackage} wanted
 */
export function placesOf(project, wanted) {
  const folder = packageFolder(project, wanted);
  return { folder, binary: nodeBinary(folder) };
}

/** The binary in the folder of such a package. @param {string} folder */
export function nodeBinary(folder) {
  return join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/**
 * @param {PinnedPackage} wanted
 * @param {string} project a folder, created if it does not exist
 * @throws {BootstrapFailure} if npm cannot fetch it, or the digest differs
 */
export async function fetchNode(wanted, project) {
  if ((await fetchPackage(wanted, project)) && existsSync(placesOf(project, wanted).binary)) return;
  throw new BootstrapFailure(
    `npm could not fetch ${wanted.name}@${wanted.version}; its message is above. It needs the npm registry or a filled npm cache. Alternatively, install Node.js yourself: https://nodejs.org, or \`nvm install 24\`.`,
  );
}
