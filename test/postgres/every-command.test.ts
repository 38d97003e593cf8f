/** Commands do on PostgreSQL what they do on an SQLite file, and print the same. */
import { expect, test } from 'vitest';
import { commandRuns, runAsJson, seeded } from '../cli/kit/command-runs.ts';
import { comparable, comparableJson } from './kit/comparable.ts';
import { databaseOfStore } from './kit/postgres-places.ts';

/** These work on the file itself. */
const ofFiles = ['backup', 'store compact', 'restore'];

/** `doctor` has other checks for each store, and the provider draws keys in a database of its own. */
const others = [
  'doctor',
  'provider keys create',
  'provider keys list',
  'provider keys revoke',
  'provider seed',
];

test('every command prints on PostgreSQL what it prints on SQLite', async () => {
  const [onFile, onServer] = [await printed(), await printed(await databaseOfStore())];

  expect(onServer).toEqual(onFile);
  expect(onServer.length).toBeGreaterThan(40);
});

/** What each command prints, without what differs between any two stores. */
async function printed(address?: string) {
  const cli = await seeded(address);
  const id = await cli.withStore(async ({ storeId }) => storeId);
  const own = (text: string) =>
    text.replaceAll(cli.database, '<database>').replaceAll(cli.folder, '<folder>');
  const all = [];
  for (const run of await commandRuns(cli)) {
    if ([...ofFiles, ...others].includes(run[0])) continue;
    const { code, out, err } = await runAsJson(cli, run);
    const lines = own(out).split('\n').slice(0, -1);
    const rows = lines.map((line) => comparableJson(line, id));
    all.push({ command: run[0], code, rows, err: comparable(own(err), id) });
  }
  return all;
}

test('commands that work on a file name what does the same on PostgreSQL, and change nothing', async () => {
  const cli = await seeded(await databaseOfStore());
  const runs = (await commandRuns(cli)).filter(([name]) => ofFiles.includes(name));

  for (const run of runs) {
    const { code, out, err } = await runAsJson(cli, run);
    const says =
      /^error: This works on an SQLite file, and the database is in PostgreSQL: .*(pg_dump|pg_restore|vacuum)/u;
    expect([run[0], code, out, err]).toEqual([run[0], 2, '', expect.stringMatching(says)]);
  }
  expect(runs.map(([name]) => name).toSorted()).toEqual(ofFiles.toSorted());
  expect((await cli.run('audit', 'list', '--json')).rows).toEqual([]);
  expect((await cli.run('events', 'list', '--json')).rows).toHaveLength(2);
});
