/** `store copy` that ends early, or is refused. */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { planCopy } from '../../../src/store/copy/copy-store.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { route, sampleEvent } from '../../conformance/sample-event.ts';
import {
  copy,
  newFile,
  openAt,
  rowsInFile,
  rowsInPostgres,
  smallStore,
  unwatched,
} from '../kit/copied-store.ts';
import { connected, emptyDatabase } from '../kit/empty-database.ts';

/** Ends a copy as Ctrl-C does, after so many pages. */
function interruptedAfter(pages: number) {
  const controller = new AbortController();
  let left = pages;
  return {
    ...unwatched,
    signal: controller.signal,
    rows() {
      left -= 1;
      if (left === 0) controller.abort();
    },
  };
}

async function run(url: string, text: string): Promise<void> {
  await (await connected(url)).query(text);
}

test('an interrupted copy leaves the file as it was and the database empty, and begins again', async () => {
  const [source, target] = [await smallStore(), await emptyDatabase()];
  const before = rowsInFile(source);
  for (const pages of [1, 9, 25]) {
    await expect(copy(source, target, { watch: interruptedAfter(pages) })).rejects.toThrow(/abort/);
    expect(await rowsInPostgres(target)).toEqual({});
  }
  expect(rowsInFile(source)).toEqual(before);

  await copy(source, target);

  expect((await (await openAt(target)).statistics()).events).toBe(3);
});

test('a file that is served is refused', async () => {
  const [source, target] = [await smallStore(), await emptyDatabase()];
  const serving = await openAt(source);
  await expect(copy(source, target)).rejects.toMatchObject({ code: 'store-locked' });
  await serving.close();
  await expect(copy(source, target)).resolves.toMatchObject({ from: serving.location });
});

test('nothing is written to the file, and nobody opens the database, while a copy runs', async () => {
  const [source, target] = [await smallStore(), await emptyDatabase()];
  let refused: string | undefined;
  let opened: Promise<unknown> | undefined;
  const watch = {
    ...unwatched,
    rows() {
      refused ??= failureOf(source, 'update subjects set erased = 1');
      opened ??= openAt(target).catch((error: unknown) => error);
    },
    begin: () => undefined,
  };
  await copy(source, target, { watch });
  expect(refused).toContain('SQLITE_BUSY');
  expect(await opened).toMatchObject({
    code: 'store-locked',
    message: expect.stringContaining('is being copied into') as string,
  });
});

/** Runs a statement in another process while this one waits, and returns what that one says. */
function failureOf(file: string, statement: string): string {
  const program = `import BetterSqlite3 from 'better-sqlite3';
    new BetterSqlite3(process.argv[1], { timeout: 0 }).exec(process.argv[2]);`;
  const { stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program, file, statement],
    { encoding: 'utf8' },
  );
  return stderr;
}

test.each([
  ['another content in 3 rows', "do also update subjects set entity = 'else' where id = 2"],
  ['2 rows instead of 3', 'where new.id = 2 do instead nothing'],
])('a copy with %s is noticed and undone', async (found, rule) => {
  const [source, target] = [await smallStore(), await emptyDatabase()];
  await run(
    target,
    `create function spoil() returns event_trigger language plpgsql as $$ begin
       if to_regclass('subjects') is not null and not exists (select from pg_rules where rulename = 'odd') then
         create rule odd as on insert to subjects ${rule};
       end if;
     end $$; create event trigger spoils on ddl_command_end when tag in ('ALTER TABLE') execute function spoil()`,
  );
  await expect(copy(source, target)).rejects.toMatchObject({
    code: 'store-failed',
    message: expect.stringMatching(`table subjects .* has ${found}`) as string,
  });
  expect(await rowsInPostgres(target)).toEqual({});
});

test('what ran when the process was killed is run again by the next one', async () => {
  const [source, target] = [await smallStore(), await emptyDatabase()];
  const store = await openAt(source);
  const [running] = (await store.claim({ now: Date.now(), limit: 1, handlers: ['anyone'] })).deliveries;
  await store.close();
  await copy(source, target);
  const moved = await openAt(target);
  expect(await moved.recover()).toBe(1);
  const waiting = await moved.deliveries({ status: 'pending' }, { order: 'oldest', limit: 9 });
  expect(waiting.find(({ id }) => id === running!.id)).toMatchObject({ attempts: 1 });
  const claimed = await moved.claim({ now: Date.now(), limit: 1, handlers: ['anyone'] });
  expect(claimed.deliveries.map(({ id }) => id)).toEqual([running!.id]);
});

describe('a copy is refused, and its target stays as it is', () => {
  test.each([
    ['that is not empty', undefined, { code: 'invalid-argument', message: /is not empty/u }],
    [
      'of another program',
      'create table theirs (id integer)',
      { code: 'store-unsupported', message: /theirs/u },
    ],
  ])('a database %s', async (_, prepare, { code, message }) => {
    const [source, target] = [await smallStore(), await emptyDatabase()];
    if (prepare === undefined) await (await openAt(target)).close();
    else await run(target, prepare);
    const before = await rowsInPostgres(target);
    await expect(copy(source, target)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
    expect(await rowsInPostgres(target)).toEqual(before);
  });

  test('a database that cannot be served, with every reason', async () => {
    const [source, target] = [await smallStore(), await emptyDatabase()];
    const name = new URL(target).pathname.slice(1);
    await run(target, `alter database ${name} connection limit 5`);
    await run(target, `alter database ${name} set default_transaction_read_only = on`);
    const plan = () => planCopy({ from: source, to: target, clock: manualClock() });
    for (const begin of [() => copy(source, target), plan])
      await expect(begin()).rejects.toMatchObject({
        code: 'store-read-only',
        problems: [{ where: 'default_transaction_read_only' }, { where: 'connections' }],
      });
  });

  test.each([
    ['of a newer version', 'pragma user_version = 999', 'store-newer'],
    ['of a version before 1.0', 'pragma user_version = 17', 'store-unsupported'],
  ])('a file %s', async (_, prepare, code) => {
    const [source, target] = [await smallStore(), await emptyDatabase()];
    const file = new BetterSqlite3(source);
    file.exec(prepare);
    file.close();
    await expect(copy(source, target)).rejects.toMatchObject({ code });
    expect(await rowsInPostgres(target)).toEqual({});
  });

  test('a file that does not exist', async () => {
    await expect(copy(newFile(), await emptyDatabase())).rejects.toMatchObject({ code: 'not-found' });
  });
});

test('lanes without order are no lane to wait for', async () => {
  const [source, target, clock] = [newFile(), await emptyDatabase(), manualClock()];
  const store = await openAt(source, clock);
  for (const content of ['a', 'b'])
    await store.accept(sampleEvent({ content }), [route('free', { order: 'none' })]);
  await store.close();
  await copy(source, target);
  const moved = await openAt(target, clock);
  const { deliveries } = await moved.claim({ now: clock.now(), limit: 9, handlers: ['free'] });
  expect(deliveries).toHaveLength(2);
});
