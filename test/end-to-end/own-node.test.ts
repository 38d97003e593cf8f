/** A clone on a machine whose Node.js is too old fetches one of its own, which stays when packages are installed again. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { olderNode } from '../support/launch-program.ts';
import { createWorkspace } from '../support/workspace.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Stands in for npm: unpacks this Node.js as the package that was asked for, or records what it has installed of the
 * clone's packages. It leaves out optional ones when the machine's Node.js runs it, and writes down what it did.
 */
const unpacking = `
const { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const isFetch = process.cwd().includes('.node-next-');
const isOwnNode = process.execPath.includes('.node-next-');
if (!isFetch) appendFileSync(process.env.NPM_RUNS, 'npm ci\\n');
const installed = {};
mkdirSync('node_modules', { recursive: true });
for (const [folder, wanted] of Object.entries(packages)) {
  if (folder === '' || wanted.libc?.[0] === 'musl' || (wanted.optional && !isOwnNode)) continue;
  mkdirSync(folder + '/bin', { recursive: true });
  installed[folder] = wanted;
  if (!isFetch) continue;
  appendFileSync(process.env.NPM_RUNS, folder + ' ' + wanted.version + ' ' + wanted.integrity + '\\n');
  copyFileSync(process.execPath, folder + '/bin/node');
  writeFileSync(folder + '/package.json', JSON.stringify({ version: process.version.slice(1) }));
}
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));
`;

/** Fails, as npm does without a network, or when the download is not what was pinned. */
const failing =
  "if (process.cwd().includes('.node-next-')) process.exit(1); require('node:fs').mkdirSync('node_modules', { recursive: true });";

/** A clone on a machine that has Node.js 20. It has no dependencies but an optional one, if it is given. */
function cloneOnOlderNode(npm: string, optional: Readonly<Record<string, unknown>> = {}) {
  const { folder } = createWorkspace();
  writeManifest(folder, optional);
  const runs = join(folder, 'npm-runs');
  writeFileSync(runs, '');
  writeFileSync(join(folder, 'npm-cli.js'), npm);
  const preload = olderNode(folder);
  return {
    link: join(folder, 'node_modules', '.bin', 'node'),
    /** What npm did, a line each. */
    runs: () => readFileSync(runs, 'utf8').split('\n').filter(Boolean),
    bootstrap(env: Readonly<Record<string, string>> = {}) {
      const { status, stderr } = spawnSync(
        process.execPath,
        ['--require', preload, join(folder, 'scripts', 'bootstrap.mjs'), '--install-only'],
        {
          cwd: folder,
          encoding: 'utf8',
          env: {
            PATH: process.env['PATH'],
            npm_execpath: join(folder, 'npm-cli.js'),
            NPM_RUNS: runs,
            ...env,
          },
        },
      );
      return { status, said: stderr };
    },
  };
}

/** Writes what the bootstrap needs of a repository without dependencies. */
function writeManifest(folder: string, packages: Readonly<Record<string, unknown>> = {}): void {
  const manifest = { name: 'small', version: '1.0.0', engines: { node: '>=22.18.0' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const lock = { ...manifest, lockfileVersion: 3, packages: { '': manifest, ...packages } };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  cpSync(join(repository, 'scripts'), join(folder, 'scripts'), { recursive: true });
}

/** A clone without dependencies, with its own Node.js in `node_modules`. */
function clone() {
  const { folder } = createWorkspace();
  writeManifest(folder);
  const own = join(folder, 'node_modules', '.portaria-node');
  const bin = join(folder, 'node_modules', '.bin');
  mkdirSync(join(own, 'bin'), { recursive: true });
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(own, 'package.json'), JSON.stringify({ version: process.versions.node }));
  copyFileSync(process.execPath, join(own, 'bin', 'node'));
  symlinkSync('../.portaria-node/bin/node', join(bin, 'node'));
  return {
    link: join(bin, 'node'),
    isInstalled: () => existsSync(join(folder, 'node_modules', '.portaria-bootstrap')),
    bootstrap: (node: string, env: Readonly<Record<string, string>> = {}) =>
      execFileSync(node, [join(folder, 'scripts', 'bootstrap.mjs'), '--install-only'], {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
        stdio: 'pipe',
      }),
  };
}

test.runIf(process.platform === 'linux')('is fetched as it is pinned, once, and the rest runs on it', () => {
  const { link, runs, bootstrap } = cloneOnOlderNode(unpacking);

  const { status, said } = bootstrap();

  expect(status).toBe(0);
  expect(said.match(/fetching .*/gu)).toEqual([
    expect.stringMatching(/^fetching 24\.\d+\.\d+ from npm into node_modules$/u),
  ]);
  expect(said).toMatch(/Node\.js 20\.20\.2 \(.*\) is older than 22\.18\.0/u);
  expect(runs().toSorted()).toEqual([
    expect.stringMatching(/^node_modules\/node-\S+ 24\.\S+ sha512-/u),
    'npm ci',
  ]);
  expect(execFileSync(link, ['--version'], { encoding: 'utf8' }).trim()).toBe(process.version);
  expect(bootstrap().said).not.toContain('fetching');
  expect(runs()).toHaveLength(2);
});

test.runIf(process.platform === 'linux')('installs again what npm has left out on the older Node.js', () => {
  const compiler = { version: '1.0.0', integrity: 'sha512-x', optional: true, os: [process.platform] };
  const { runs, bootstrap } = cloneOnOlderNode(unpacking, {
    'node_modules/compiler': { ...compiler, libc: ['glibc'] },
    'node_modules/compiler-of-others': { ...compiler, libc: ['musl'] },
  });

  const { status, said } = bootstrap();

  expect(status).toBe(0);
  expect(said).toContain('node_modules/compiler is not what package-lock.json asks for: running npm ci');
  expect(runs().filter((run) => run === 'npm ci')).toHaveLength(2);
  expect(bootstrap().said).not.toContain('npm ci');
});

test.runIf(process.platform === 'linux')('is not used when npm rejects the download', () => {
  const { link, bootstrap } = cloneOnOlderNode(failing);

  const { status, said } = bootstrap();

  expect(status).toBe(1);
  expect(said).toMatch(/npm could not fetch node-\S+@24\./u);
  expect(existsSync(link)).toBe(false);
});

test('is not fetched with PORTARIA_NODE=system, which says what to do', () => {
  const { link, runs, bootstrap } = cloneOnOlderNode(unpacking);

  const { status, said } = bootstrap({ PORTARIA_NODE: 'system' });

  expect(status).toBe(1);
  expect(said).toMatch(/PORTARIA_NODE=system forbids fetching another one\. Install a current one/u);
  expect(runs()).toEqual([]);
  expect(existsSync(link)).toBe(false);
});

test.each(['itself', 'another one'])('stays when %s runs the installation', (which) => {
  const { link, isInstalled, bootstrap } = clone();
  expect(isInstalled()).toBe(false);

  bootstrap(which === 'itself' ? link : process.execPath);

  expect(isInstalled()).toBe(true);
  expect(execFileSync(link, ['--version'], { encoding: 'utf8' }).trim()).toBe(process.version);
});

test('is removed by PORTARIA_NODE=system', () => {
  const { link, bootstrap } = clone();
  bootstrap(process.execPath, { PORTARIA_NODE: 'system' });
  expect(existsSync(link)).toBe(false);
});
