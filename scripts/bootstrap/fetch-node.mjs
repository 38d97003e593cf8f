import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, QUIETLY } from './npm.mjs';
import { BootstrapFailure } from './report.mjs';

/**
 * @typedef {object} NodePackage an npm package that carries the binary of one version of Node.js
 * @property {string} name
 * @property {string} version
 * @property {string} integrity as in a lock file
 */

/**
 * The pinned packages for this machine, by version. Empty on musl and on processors without a package.
 *
 * @returns {Map<string, NodePackage>}
 */
export function nodePackages() {
  const pins = JSON.parse(readFileSync(new URL('./node-packages.json', import.meta.url), 'utf8'));
  const pinned = isMusl() ? undefined : pins[`${process.platform}-${process.arch}`];
  /** @type {[string, string][]} */
  const versions = Object.entries(pinned?.versions ?? {});
  return new Map(
    versions.map(([version, integrity]) => [version, { name: pinned.package, version, integrity }]),
  );
}

/**
 * The paths of a fetched package and its binary.
 *
 * @param {string} project the folder that it was fetched into
 * @param {NodePackage} wanted
 */
export function placesOf(project, { name }) {
  const folder = join(project, 'node_modules', name);
  return { folder, binary: nodeBinary(folder) };
}

/** The binary in the folder of such a package. @param {string} folder */
export function nodeBinary(folder) {
  return join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/**
 * Fetches a package into a project of its own. The lock file that this function writes makes npm compare the
 * download with the pinned digest.
 *
 * @param {NodePackage} wanted
 * @param {string} project a folder, created if it does not exist
 * @throws {BootstrapFailure} if npm cannot fetch it, or the digest differs
 */
export async function fetchNode(wanted, project) {
  const { name, version, integrity } = wanted;
  const root = { name: 'portaria-node', version: '0.0.0', dependencies: { [name]: version } };
  const lock = { '': root, [`node_modules/${name}`]: { version, integrity } };
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'package.json'), JSON.stringify(root));
  writeFileSync(
    join(project, 'package-lock.json'),
    JSON.stringify({ name: root.name, version: root.version, lockfileVersion: 3, packages: lock }),
  );
  const fetched = await npm(['ci', '--engine-strict=false', ...QUIETLY], { cwd: project });
  if (fetched && existsSync(placesOf(project, wanted).binary)) return;
  throw new BootstrapFailure(
    `npm could not fetch ${name}@${version}; its message is above. It needs the npm registry or a filled npm cache. Alternatively, install Node.js yourself: https://nodejs.org, or \`nvm install 24\`.`,
  );
}

function isMusl() {
  if (process.platform !== 'linux') return false;
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return header.glibcVersionRuntime === undefined;
}
