/** A clone on a machine whose Node.js is too old fetches one of its own, which stays when packages are installed again. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { olderNode } from '../support/launch-program.ts';
import { createWorkspace } from '../support/workspace.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Stands in for npm: unpacks this Node.js as the package that was asked for, or records what it has installed of the
 * clone's packages, which empties `node_modules`. It writes down what it did, and on which Node.js.
 */
const unpacking = `
const { appendFileSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const isFetch = process.cwd().includes('.fetched');
const onOwnNode = process.execPath.includes('.fetched');
if (!isFetch) appendFileSync(process.env.NPM_RUNS, 'npm ci on ' + (onOwnNode ? 'own' : 'older') + '\\n');
rmSync('node_modules', { recursive: true, force: true });
mkdirSync('node_modules');
for (const [folder, { version, integrity }] of isFetch ? Object.entries(packages).slice(1) : []) {
  mkdirSync(folder + '/bin', { recursive: true });
  appendFileSync(process.env.NPM_RUNS, folder + ' ' + version + ' ' + integrity + '\\n');
  copyFileSync(process.execPath, folder + '/bin/node');
}
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
`;

/** Fails, as npm does without a network, or when the download is not what was pinned. */
const failing = 'process.exit(1)';

/** A clone without dependencies on a machine that has Node.js 20. */
function cloneOnOlderNode(npm: string) {
  const { folder } = createWorkspace();
  const manifest = { name: 'small', version: '1.0.0', engines: { node: '>=22.18.0' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const lock = { ...manifest, lockfileVersion: 3, packages: { '': manifest } };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  cpSync(join(repository, 'scripts'), join(folder, 'scripts'), { recursive: true });
  const runs = join(folder, 'npm-runs');
  writeFileSync(runs, '');
  writeFileSync(join(folder, 'npm-cli.js'), npm);
  const preload = olderNode(folder);
  return {
    folder,
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

test.runIf(process.platform === 'linux')('is fetched as it is pinned, once, and the rest runs on it', () => {
  const { link, runs, bootstrap } = cloneOnOlderNode(unpacking);

  const { status, said } = bootstrap();

  expect(status).toBe(0);
  expect(said).toMatch(
    /Node\.js 20\.20\.2 \(.*\) is older than 22\.18\.0: fetching 24\.\d+\.\d+ from npm into \.fetched\n/u,
  );
  const fetched = expect.stringMatching(/^node_modules\/node-\S+ 24\.\S+ sha512-/u);
  expect(runs()).toEqual([fetched, 'npm ci on own']);
  expect(execFileSync(link, ['--version'], { encoding: 'utf8' }).trim()).toBe(process.version);
  expect(bootstrap().said).toContain('up to date');
  expect(runs()).toHaveLength(2);
});

test.runIf(process.platform === 'linux')('is linked again when packages are installed again', () => {
  const { folder, link, runs, bootstrap } = cloneOnOlderNode(unpacking);
  bootstrap();
  rmSync(join(folder, 'node_modules'), { recursive: true });

  expect(bootstrap().status).toBe(0);

  expect(runs().slice(2)).toEqual(['npm ci on own']);
  expect(execFileSync(link, ['--version'], { encoding: 'utf8' }).trim()).toBe(process.version);
});

test.runIf(process.platform === 'linux')('is not used when npm rejects the download', () => {
  const { folder, link, bootstrap } = cloneOnOlderNode(failing);

  const { status, said } = bootstrap();

  expect(status).toBe(1);
  expect(said).toMatch(
    /npm could not fetch node-\S+@24\.\S+; its message is above\. It needs the npm registry/u,
  );
  expect(existsSync(link)).toBe(false);
  expect(readdirSync(join(folder, '.fetched'))).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'is forbidden and removed by PORTARIA_NODE=system, which says what to do',
  () => {
    const { folder, link, runs, bootstrap } = cloneOnOlderNode(unpacking);
    const forbidden = { PORTARIA_NODE: 'system' };
    const remedy = /PORTARIA_NODE=system forbids fetching another one\. Install a current one/u;

    expect(bootstrap(forbidden)).toEqual({ status: 1, said: expect.stringMatching(remedy) });
    expect(runs()).toEqual([]);

    bootstrap();
    expect(bootstrap(forbidden)).toEqual({ status: 1, said: expect.stringMatching(remedy) });
    expect(existsSync(link)).toBe(false);
    expect(readdirSync(join(folder, '.fetched'))).toEqual([]);
  },
);
