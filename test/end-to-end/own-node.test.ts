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
import { createWorkspace } from '../support/workspace.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Stands in for npm: installs nothing, or unpacks this Node.js as the package that was asked for, and writes down which. */
const unpacking = `
const { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
for (const [folder, { version, integrity }] of Object.entries(packages)) {
  if (folder === '') continue;
  appendFileSync(process.env.NPM_RUNS, folder + ' ' + version + ' ' + integrity + '\\n');
  mkdirSync(folder + '/bin', { recursive: true });
  copyFileSync(process.execPath, folder + '/bin/node');
  writeFileSync(folder + '/package.json', JSON.stringify({ version: process.version.slice(1) }));
}
mkdirSync('node_modules', { recursive: true });
`;

/** Fails, as npm does without a network, or when the download is not what was pinned. */
const failing =
  "if (process.cwd().includes('.node-next-')) process.exit(1); require('node:fs').mkdirSync('node_modules', { recursive: true });";

/** A clone without dependencies on a machine that has Node.js 20. */
function cloneOnOlderNode(npm: string) {
  const { folder } = createWorkspace();
  writeManifest(folder);
  const runs = join(folder, 'npm-runs');
  writeFileSync(runs, '');
  writeFileSync(join(folder, 'npm-cli.js'), npm);
  writeFileSync(
    join(folder, 'as-node-20.cjs'),
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });`,
  );
  return {
    link: join(folder, 'node_modules', '.bin', 'node'),
    runs: () => readFileSync(runs, 'utf8').split('\n').filter(Boolean),
    bootstrap(env: Readonly<Record<string, string>> = {}) {
      const { status, stderr } = spawnSync(
        process.execPath,
        [
          '--require',
          join(folder, 'as-node-20.cjs'),
          join(folder, 'scripts', 'bootstrap.mjs'),
          '--install-only',
        ],
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
function writeManifest(folder: string): void {
  const manifest = { name: 'small', version: '1.0.0', engines: { node: '>=22.18.0' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const lock = { ...manifest, lockfileVersion: 3, packages: { '': manifest } };
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
  expect(runs()).toEqual([expect.stringMatching(/^node_modules\/node-\S+ 24\.\S+ sha512-/u)]);
  expect(execFileSync(link, ['--version'], { encoding: 'utf8' }).trim()).toBe(process.version);
  expect(bootstrap().said).not.toContain('fetching');
  expect(runs()).toHaveLength(1);
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
