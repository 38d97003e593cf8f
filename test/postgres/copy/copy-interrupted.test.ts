/** `store copy` that ends early, goes on, or is refused. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { planCopy } from '../../../src/store/copy/copy-store.ts';
import { openTarget } from '../../../src/store/copy/open-sides.ts';
import { createDatabaseClock } from '../../../src/store/postgres/database/connections/database-clock.ts';
import { acquireLease } from '../../../src/store/postgres/database/connections/lease.ts';
import { createQueryBuilder } from '../../../src/store/postgres/sql/connection.ts';
import { createSession } from '../../../src/store/postgres/sql/session.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { route, sampleEvent } from '../../conformance/sample-event.ts';
import { smallStoreIn, copy, newFile, openAt, rowsOf, unwatched } from '../kit/copied-store.ts';
import { emptyDatabase } from '../kit/empty-database.ts';

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

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

const places = {
  'an SQLite file': async () => newFile(),
  'a database in PostgreSQL': emptyDatabase,
};
type Place = keyof typeof places;
const kinds = Object.keys(places) as Place[];

describe.each(kinds)('from %s', (from) => {
  // To the other kind.
  const to = kinds.find((kind) => kind !== from) ?? from;

  test('an interrupted copy changes nothing in the source, is opened by nobody, and goes on', async () => {
    const [source, target] = [await smallStoreIn(await places[from]()), await places[to]()];
    const before = await rowsOf(source);
    for (const pages of [1, 3, 9, 12]) {
      await expect(copy(source, target, { watch: interruptedAfter(pages) })).rejects.toMatchObject({
        name: 'AbortError',
      });
      await expect(openAt(target)).rejects.toMatchObject({
        code: 'store-unsupported',
        message: expect.stringContaining('run `portaria store copy` again') as string,
      });
    }
    expect(await rowsOf(source)).toEqual(before);

    expect(await copy(source, target)).toMatchObject({ isContinued: true });

    expect(await rowsOf(target)).toEqual(await rowsOf(source));
    expect((await (await openAt(target)).checkAudit()).problems).toEqual([]);
  });

  test('a source that has changed since is refused, with what to do', async () => {
    const [source, target] = [await smallStoreIn(await places[from]()), await places[to]()];
    await expect(copy(source, target, { watch: interruptedAfter(3) })).rejects.toThrow();
    const store = await openAt(source);
    await store.hold([{ family: 'company', id: '9' }], { reason: 'case', placedBy: 'dpo' });
    await store.close();
    await expect(copy(source, target)).rejects.toMatchObject({
      code: 'store-unsupported',
      message: expect.stringMatching(
        /has changed since .* table holds.* copy again from the start/,
      ) as string,
    });
  });

  test('a source that is served is refused', async () => {
    const source = await smallStoreIn(await places[from]());
    const serving = await openAt(source);
    await expect(copy(source, newFile())).rejects.toMatchObject({ code: 'store-locked' });
    await serving.close();
    await expect(copy(source, newFile())).resolves.toMatchObject({ from: serving.location });
  });

  test('a row that has changed is noticed, too', async () => {
    const [source, target] = [await smallStoreIn(await places[from]()), newFile()];
    await expect(copy(source, target, { watch: interruptedAfter(5) })).rejects.toThrow();
    await run(source, "update deliveries set last_error = 'odd' where id = 2");
    await expect(copy(source, target)).rejects.toMatchObject({
      code: 'store-unsupported',
      message: expect.stringContaining('its table deliveries') as string,
    });
  });

  test('nothing is written to the source while it is copied', async () => {
    const [source, target] = [await smallStoreIn(await places[from]()), newFile()];
    let refused: string | undefined;
    let pages = 0;
    const watch = {
      ...unwatched,
      rows() {
        pages += 1;
        if (pages === 2) refused = failureOf(source, 'update subjects set erased = 1');
      },
    };
    await copy(source, target, { watch });
    expect(pages).toBeGreaterThan(2);
    expect(refused).toMatch(/SQLITE_BUSY|55P03/);
  });
});

/** Runs a statement as another program would, without waiting for a lock. */
async function run(database: string, sql: string): Promise<void> {
  if (database.startsWith('postgres')) {
    const client = await connect(database);
    await client.query("set lock_timeout = '1ms'");
    await client.query(sql);
    return;
  }
  const file = new BetterSqlite3(database, { timeout: 0 });
  try {
    file.exec(sql);
  } finally {
    file.close();
  }
}

/** Runs a statement in another process while this one waits, and returns what that one says. */
function failureOf(database: string, statement: string): string {
  const program = database.startsWith('postgres')
    ? `import pg from 'pg';
      const client = new pg.Client({ connectionString: process.argv[1] });
      await client.connect();
      await client.query("set lock_timeout = '1ms'");
      await client.query(process.argv[2]);`
    : `import BetterSqlite3 from 'better-sqlite3';
      new BetterSqlite3(process.argv[1], { timeout: 0 }).exec(process.argv[2]);`;
  const { stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program, database, statement],
    { encoding: 'utf8' },
  );
  return stderr;
}

describe.each(kinds)('to %s', (to) => {
  test('a target that is not empty is refused, and stays as it is', async () => {
    const [source, target] = [await smallStoreIn(newFile()), await smallStoreIn(await places[to]())];
    const before = await rowsOf(target);
    await expect(copy(source, target)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('is not empty') as string,
    });
    expect(await rowsOf(target)).toEqual(before);
  });

  test('a store without rows is a target, unless it is served', async () => {
    const [source, target] = [await smallStoreIn(newFile()), await places[to]()];
    const serving = await openAt(target);
    await expect(copy(source, target)).rejects.toMatchObject({ code: 'store-locked' });
    await serving.close();
    await copy(source, target);
    expect(await rowsOf(target)).toEqual(await rowsOf(source));
  });

  test('the target that is the source is refused', async () => {
    const source = await smallStoreIn(await places[to]());
    await expect(copy(source, source)).rejects.toMatchObject({
      code: expect.stringMatching(/invalid-argument|store-locked/) as string,
      message: expect.stringContaining('is the database that is copied') as string,
    });
  });

  test('a copy of another store is not continued', async () => {
    const [source, target] = [await smallStoreIn(newFile()), await places[to]()];
    await expect(copy(source, target, { watch: interruptedAfter(5) })).rejects.toThrow();
    const other = await smallStoreIn(newFile(), 'other');
    await expect(copy(other, target)).rejects.toMatchObject({
      code: 'store-unsupported',
      message: expect.stringContaining('or is another store') as string,
    });
  });

  test('a row that is lost on the way is noticed', async () => {
    const [source, target] = [await smallStoreIn(newFile()), await places[to]()];
    await expect(copy(source, target, { watch: interruptedAfter(6) })).rejects.toThrow();
    await run(target, "update subjects set entity = 'else' where id = 2");
    await expect(copy(source, target)).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringMatching(/table subjects .* another content/) as string,
    });
    await expect(openAt(target)).rejects.toMatchObject({ code: 'store-unsupported' });
  });

  test('what ran when the process was killed is pending in the copy', async () => {
    const [source, target] = [await smallStoreIn(newFile()), await places[to]()];
    const store = await openAt(source);
    const [running] = (await store.claim({ now: Date.now(), limit: 1, handlers: ['anyone'] })).deliveries;
    await store.close();
    expect(await copy(source, target)).toMatchObject({ interrupted: 1 });
    const moved = await openAt(target);
    expect(await moved.deliveries({ status: 'running' }, { order: 'oldest', limit: 9 })).toEqual([]);
    const waiting = await moved.deliveries({ status: 'pending' }, { order: 'oldest', limit: 9 });
    expect(waiting.find(({ id }) => id === running!.id)).toMatchObject({ attempts: 1 });
    const claimed = await moved.claim({ now: Date.now(), limit: 1, handlers: ['anyone'] });
    expect(claimed.deliveries.map(({ id }) => id)).toEqual([running!.id]);
  });
});

test('a copy that is whole is reported as such, whatever keeps it from being opened', async () => {
  const [source, target] = [await smallStoreIn(newFile()), await emptyDatabase()];
  const store = await openAt(source);
  await store.claim({ now: Date.now(), limit: 1, handlers: ['anyone'] });
  await store.close();
  await expect(copy(source, target, { watch: interruptedAfter(3) })).rejects.toThrow();
  // The end of a copy drops its table. A newer version migrates the copy just then.
  await run(
    target,
    `create function migrated() returns event_trigger language plpgsql as $$ begin
       insert into migrations (level, name, applied_at, works_with) values (999, 'later', 1, 999);
     end $$; create event trigger migrated on sql_drop execute function migrated()`,
  );

  expect(await copy(source, target)).toMatchObject({
    interrupted: 0,
    notRecovered: expect.stringContaining('newer') as string,
  });

  await run(target, 'drop event trigger migrated; delete from migrations where level = 999');
  expect(await (await openAt(target)).recover()).toBe(1);
});

test('a target that cannot be served is refused before anything is written, with every reason', async () => {
  const [source, target] = [await smallStoreIn(newFile()), await emptyDatabase()];
  const name = new URL(target).pathname.slice(1);
  await run(target, `alter database ${name} connection limit 5`);
  await run(target, `alter database ${name} set default_transaction_read_only = on`);
  const plan = () => planCopy({ from: source, to: target }, manualClock());
  for (const begin of [() => copy(source, target), plan])
    await expect(begin()).rejects.toMatchObject({
      code: 'store-read-only',
      problems: [{ where: 'default_transaction_read_only' }, { where: 'connections' }],
    });
});

test('a database of another program is refused', async () => {
  const [source, target] = [await smallStoreIn(newFile()), await emptyDatabase()];
  await run(target, 'create table theirs (id integer)');
  await expect(copy(source, target)).rejects.toMatchObject({ code: 'store-unsupported' });
});

test('a target of a newer version is refused', async () => {
  const [source, target] = [await smallStoreIn(newFile()), await emptyDatabase()];
  await (await openAt(target)).close();
  await run(
    target,
    "insert into migrations (level, name, applied_at, works_with) values (999, 'later', 1, 999)",
  );
  await expect(copy(source, target)).rejects.toMatchObject({ code: 'store-newer' });
});

test('a source of a newer version is refused', async () => {
  const source = await smallStoreIn(newFile());
  await run(source, 'pragma user_version = 999');
  const target = newFile();
  await expect(copy(source, target)).rejects.toMatchObject({ code: 'store-newer' });
  expect(existsSync(target)).toBe(false);
});

test('an owner is refused while its store in PostgreSQL is copied', async () => {
  const source = await smallStoreIn(await emptyDatabase());
  let opened: Promise<unknown> | undefined;
  const watch = {
    ...unwatched,
    rows: () => void (opened ??= openAt(source).catch((error: unknown) => error)),
  };
  await copy(source, newFile(), { watch });
  expect(await opened).toMatchObject({
    code: 'store-locked',
    message: expect.stringContaining('is being copied') as string,
  });
});

describe('a process that starts to serve while a copy begins', () => {
  /** A store without rows, and a copy that has opened it and not begun. */
  async function opened() {
    const database = await emptyDatabase();
    const store = await openAt(database);
    await store.close();
    const clock = manualClock();
    const target = await openTarget({ from: newFile(), to: database }, clock);
    onTestFinished(() => target.close());
    const client = await connect(database);
    const session = createSession(client, createQueryBuilder());
    const location = 'postgres://there/db';
    const { storeId } = store;
    const lease = () =>
      acquireLease({ session, clock, databaseClock: createDatabaseClock(clock), location, storeId });
    return { target, client, lease };
  }

  test('keeps the copy from beginning when it came first', async () => {
    const { target, client } = await opened();
    await client.query("insert into leases (host, pid, level) values ('there', 7, 1)");
    await expect(target.begin(new Map())).rejects.toMatchObject({
      code: 'store-locked',
      message: expect.stringContaining('is served by process 7 on there') as string,
    });
    expect((await client.query("select to_regclass('copy_progress') as found")).rows).toEqual([
      { found: null },
    ]);
  });

  test('gets no lease when it came second, before the copy has begun and after', async () => {
    const { target, client, lease } = await opened();
    await expect(lease()).rejects.toMatchObject({ code: 'store-locked' });
    await target.begin(new Map());
    await expect(lease()).rejects.toMatchObject({
      code: 'store-unsupported',
      message: expect.stringContaining('is not finished') as string,
    });
    expect((await client.query('select from leases')).rowCount).toBe(0);
  });
});

type Query = (this: pg.Client, ...given: unknown[]) => Promise<pg.QueryResult>;

test('a copy leaves no setting on its connections, which a pooler may share, and its transactions say what they need', async () => {
  const [source, between, target] = [await smallStoreIn(newFile()), await emptyDatabase(), newFile()];
  const texts: unknown[] = [];
  const left: unknown[] = [];
  const [query, end]: readonly Query[] = [pg.Client.prototype.query, pg.Client.prototype.end] as never;
  const record: Query = async function record(...given) {
    texts.push(given[0]);
    return query!.apply(this, given);
  };
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(record as never);
  const look: Query = async function look() {
    left.push((await query!.call(this, "select name from pg_settings where source = 'session'")).rows);
    return end!.call(this);
  };
  vi.spyOn(pg.Client.prototype, 'end').mockImplementation(look as never);
  onTestFinished(() => void vi.restoreAllMocks());

  await copy(source, between);
  // What comes is not the copy's: its source migrates.
  await copy(between, target);

  expect(left).toEqual([[], []]);
  const begins = texts.filter((text) => String(text).startsWith('begin') && !String(text).includes('5min'));
  expect(begins.length).toBeGreaterThan(20);
  expect(begins.filter((text) => !String(text).startsWith('begin isolation level read committed'))).toEqual(
    [],
  );
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
