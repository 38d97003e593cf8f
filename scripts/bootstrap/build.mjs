/** Builds the program and the package of the provider, where a source has changed. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { bundleProgram } from './bundle-program.mjs';
import { copyPackage } from './copy-packages.mjs';
import { removePrivateTypes } from './private-types.mjs';
import { run } from './npm.mjs';
import {
  buildStamp,
  dist,
  nextDist,
  packageLock,
  previousDist,
  previousProviderDist,
  providerDist,
  root,
} from './paths.mjs';
import { programEntries, providerEntries } from './program-entries.mjs';
import { BootstrapFailure, say } from './report.mjs';

const compiler = join('node_modules', '@typescript', 'native', 'bin', 'tsc');
const entry = join('src', 'cli', 'main.js');
const nextProviderDist = join(nextDist, 'provider-package');
const pageAssets = join('src', 'pages', 'assets');

/** The reason why `dist` must be built, or null if it is up to date. */
export function whyBuild(force = false) {
  if (force) return 'asked to rebuild';
  if (!existsSync(buildStamp) || !existsSync(join(dist, entry)) || !existsSync(providerDist))
    return 'dist is missing';
  return readFileSync(buildStamp, 'utf8') === fingerprint() ? null : 'sources have changed';
}

/**
 * Builds into a temporary folder and then swaps its parts with `dist` and `provider/dist`: a failed build
 * keeps the last good one, and no process sees half a build or a stale file.
 *
 * @param {string} reason
 */
export async function build(reason) {
  say(`${reason}: compiling`);
  // Hash before compiling, so that a source saved during the build marks the result as stale.
  const sources = fingerprint();
  removeLeftovers();
  // The compiler checks the sources and writes the types. The bundler writes the JavaScript.
  const [compiled, bundled] = await Promise.allSettled([
    run(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', nextDist]),
    Promise.all([
      bundleProgram(nextDist, programEntries()),
      bundleProgram(nextProviderDist, providerEntries()),
    ]),
  ]);
  const failure = failureOf(compiled, bundled);
  if (failure !== null) {
    rmSync(nextDist, { recursive: true, force: true });
    throw failure;
  }
  removePrivateTypes(nextDist);
  copyPackage(nextDist, 'htmx.org');
  copyPackage(nextProviderDist, 'swagger-ui-dist');
  cpSync(join(root, pageAssets), join(nextDist, pageAssets), {
    recursive: true,
    filter: (path) => !path.endsWith('tsconfig.json'),
  });
  if (existsSync(join(nextDist, entry))) chmodSync(join(nextDist, entry), 0o755);
  writeFileSync(join(nextDist, '.portaria-bootstrap'), sources);
  swap(nextProviderDist, providerDist, previousProviderDist);
  swap(nextDist, dist, previousDist);
  removeLeftovers();
}

/**
 * Prefers the compiler's failure: the bundler often fails only because the source does not compile.
 *
 * @param {PromiseSettledResult<boolean>} compiled
 * @param {PromiseSettledResult<unknown>} bundled
 */
function failureOf(compiled, bundled) {
  if (compiled.status === 'rejected') return compiled.reason;
  if (!compiled.value) return new BootstrapFailure('the sources do not compile; the errors are above.');
  return bundled.status === 'rejected' ? bundled.reason : null;
}

/**
 * @param {string} next
 * @param {string} current
 * @param {string} previous where the current one goes
 */
function swap(next, current, previous) {
  if (existsSync(current)) renameSync(current, previous);
  renameSync(next, current);
}

/** Removes the temporary folders of this build and of killed ones. */
function removeLeftovers() {
  for (const name of readdirSync(root)) {
    if (name.startsWith('.dist-')) rmSync(join(root, name), { recursive: true, force: true });
  }
}

/** SHA-256 of all inputs of a build. */
function fingerprint() {
  const hash = createHash('sha256');
  const inputs = [
    'tsconfig.json',
    'tsconfig.build.json',
    'scripts/bootstrap/bundle-program.mjs',
    'scripts/bootstrap/document-licences.mjs',
    'scripts/bootstrap/program-entries.mjs',
    'scripts/bootstrap/copy-packages.mjs',
    'scripts/bootstrap/private-types.mjs',
    ...sourcesIn('src'),
    ...sourcesIn('provider'),
    ...sourcesIn('handlers'),
  ];
  for (const path of inputs)
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  // The lock file covers the versions of compiler, bundler and libraries.
  return `${hash.update(readFileSync(packageLock)).digest('hex')}\n`;
}

/** @param {string} folder */
function sourcesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(
      (path) => /[.]tsx?$|^pages[\\/]assets[\\/]/.test(path) && !/[.]test[.]tsx?$|^test[\\/]/.test(path),
    )
    .map((path) => join(folder, path))
    .sort();
}
