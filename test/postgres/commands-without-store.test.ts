/** Commands on a database in PostgreSQL that has no store: a mistyped address must not make one. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { portaria, rows } from '../cli/kit/in-this-process.ts';
import { connected, emptyDatabase } from './kit/empty-database.ts';

async function onEmptyDatabase() {
  const url = await emptyDatabase();
  const env = { PORTARIA_DATABASE: url };
  const client = await connected(url);
  const tables = async () =>
    (await client.query("select 1 from pg_tables where schemaname = 'public'")).rowCount;
  return {
    tables,
    run: (...args: string[]) => portaria(args, env),
    rows: (...args: string[]) => rows(args, env),
  };
}

test.each([[['stats']], [['events', 'list']], [['deliveries', 'retry', 'd1']], [['replay', '--dry-run']]])(
  '%j says what to do, and creates none',
  async (args) => {
    const { run, tables } = await onEmptyDatabase();
    const { code, err } = await run(...args);
    expect([code, err]).toEqual([
      3,
      expect.stringMatching(
        /^error: There is no store in postgres:.*\n {2}PORTARIA_DATABASE: start `portaria serve`/u,
      ),
    ]);
    expect(await tables()).toBe(0);
  },
);

test('doctor says that serve creates it, and asks whether it is the right one', async () => {
  const { rows, tables } = await onEmptyDatabase();
  expect(await rows('doctor')).toContainEqual(
    expect.objectContaining({
      name: 'database',
      state: 'attention',
      detail: expect.stringContaining('has no store yet; `portaria serve` creates it') as string,
    }),
  );
  expect(await tables()).toBe(0);
});

test('events import creates it', async () => {
  const { run, rows } = await onEmptyDatabase();
  const scenario = fileURLToPath(new URL('../../fixtures/scenarios/slip-issued.ndjson', import.meta.url));
  expect(await run('events', 'import', scenario)).toMatchObject({ code: 0 });
  expect(await rows('events', 'list')).toHaveLength(9);
});
