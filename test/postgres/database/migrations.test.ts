/** Migrations of databases that several processes and versions share. */
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { PortariaError } from '../../../src/kernel/errors.ts';
import { createDatabaseClock } from '../../../src/store/postgres/database/connections/database-clock.ts';
import { acquireLease } from '../../../src/store/postgres/database/connections/lease.ts';
import { migrate } from '../../../src/store/postgres/database/tables/migrate.ts';
import {
  migrations,
  newestLevel,
  type Migration,
} from '../../../src/store/postgres/database/tables/migrations.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { createQueryBuilder } from '../../../src/store/postgres/sql/connection.ts';
import { createSession } from '../../../src/store/postgres/sql/session.ts';
import type { StoreRole } from '../../../src/store/store.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { connected, emptyDatabase } from '../kit/empty-database.ts';

const next = newestLevel + 1;

/** What the next version may do: it adds, and the present one works on. */
const adding: Migration = {
  level: next,
  name: 'an addition',
  worksWith: newestLevel,
  sql: 'alter table subjects add column nickname text',
};
/** What a version after that does: it removes what only this one knows. */
const removing: Migration = {
  level: next + 1,
  name: 'a removal',
  worksWith: next,
  sql: 'alter table subjects drop column erased',
};

async function migrated(url: string, ...further: readonly Migration[]): Promise<void> {
  const client = await connected(url);
  await migrate(client, 0, [...migrations, ...further]);
}

async function opened(url: string, role: StoreRole = 'owner') {
  const clock = manualClock();
  const fatal: PortariaError[] = [];
  const store = await openPostgresStore({ url, role, clock, onFatal: (error) => fatal.push(error) });
  onTestFinished(() => store.close());
  return { store, clock, fatal };
}

async function levelsOf(url: string): Promise<readonly number[]> {
  const client = await connected(url);
  const { rows } = await client.query<{ level: number }>('select level from migrations order by level');
  return rows.map(({ level }) => level);
}

const expectedLevels = migrations.map(({ level }) => level);

test('several processes that start at once on an empty database create its tables once', async () => {
  const url = await emptyDatabase();
  await Promise.all([opened(url), opened(url), opened(url), opened(url, 'guest')]);
  expect(await levelsOf(url)).toEqual(expectedLevels);
});

test('an older version opens a database to which a newer one has added, and says so', async () => {
  const url = await emptyDatabase();
  await migrated(url, adding);

  const { store } = await opened(url);

  expect(await store.checks()).toContainEqual(
    expect.objectContaining({
      name: 'schema',
      ok: true,
      detail: `level ${String(next)}, of a newer version; this version has level ${String(newestLevel)}, and works with it`,
    }),
  );
});

test('a newer version adds to the tables while an older one runs', async () => {
  const url = await emptyDatabase();
  const { store } = await opened(url);
  await migrated(url, adding);

  await expect(store.statistics()).resolves.toMatchObject({ events: 0 });
});

test('the events that stayed on a day that an earlier version had pruned keep their bodies', async () => {
  const url = await emptyDatabase();
  const client = await connected(url);
  await migrate(client, 0, migrations.slice(0, 1));
  await client.query(`
    create table day_0 partition of event_contents for values from (0) to (86400000);
    insert into subjects (source, family, entity) values ('default', 'company', '1');
    insert into events (kind, recognized, subject_id, digest_key, digest, verdict, flags, received_at)
      select 'company.created', 1, 1, i, 'x', 'new', '[]', i from generate_series(1, 3) as i;
    insert into event_contents values (2, 2, '{}', '{}');
    insert into pruned_days values (0, 86400000);
    update retention set pruned_events = 2`);

  const { store } = await opened(url);

  const selection = { filter: {}, succeeded: [], inStatus: [] };
  const pages = await store.replayEvents(selection, { after: null, limit: 9 });
  expect(pages.flatMap(({ events }) => events)).toEqual([2]);
});

test('a version that is too old for the tables does not start, and nothing is changed', async () => {
  const url = await emptyDatabase();
  await migrated(url, adding, removing);

  await expect(opened(url)).rejects.toMatchObject({
    code: 'store-newer',
    message:
      `the tables have level ${String(next + 1)}, which works with versions from level ${String(next)} on, and this ` +
      `version of Portaria has level ${String(newestLevel)}: install a newer version`,
  });
  const client = await connected(url);
  expect((await client.query('select from leases')).rowCount).toBe(0);
});

test('a store of a version before 1.0 is refused with what to do, and stays as it is', async () => {
  const url = await emptyDatabase();
  await migrated(url);
  const client = await connected(url);
  await client.query('delete from migrations where level > 100');
  await client.query('update migrations set level = 8, works_with = 1');

  await expect(opened(url)).rejects.toMatchObject({
    code: 'store-unsupported',
    message: expect.stringContaining('portaria events export') as string,
  });
  expect(await levelsOf(url)).toEqual([8]);
});

test('a migration that an older process would not survive waits for its end, and names it', async () => {
  const url = await emptyDatabase();
  const { store } = await opened(url);

  await expect(migrated(url, adding, removing)).rejects.toMatchObject({
    code: 'store-locked',
    message: expect.stringMatching(
      new RegExp(
        `^process ${String(process.pid)} on .+ has level ${String(newestLevel)}, and the tables of this version work ` +
          `with versions from level ${String(next)} on: stop the processes of older versions, then start this one$`,
        'u',
      ),
    ) as string,
  });
  expect(await levelsOf(url), 'all or nothing').toEqual(expectedLevels);

  await store.close();
  await migrated(url, adding, removing);
  expect(await levelsOf(url)).toEqual([...expectedLevels, next, next + 1]);
});

test('an older process that was frozen during such a migration loses its lease, and is told to end', async () => {
  const url = await emptyDatabase();
  const { clock, fatal } = await opened(url);
  const client = await connected(url);
  await client.query("update leases set seen_at = seen_at - interval '1 hour'");
  await migrated(url, adding, removing);

  clock.advance(2_000);
  await expect.poll(() => fatal.map(({ code }) => code)).toEqual(['store-newer']);
  expect((await client.query('select from leases')).rowCount).toBe(1);
});

test('a process that draws a lease after such a migration has none', async () => {
  const url = await emptyDatabase();
  await migrated(url, adding, removing);
  const client = await connected(url);
  const session = createSession(client, createQueryBuilder());

  const clock = manualClock();
  const databaseClock = createDatabaseClock(clock);
  const lease = acquireLease({ session, clock, databaseClock, location: 'there', storeId: 'abcdef' });
  await expect(lease).rejects.toMatchObject({
    code: 'store-newer',
  });
  expect((await client.query('select from leases')).rowCount).toBe(0);
});

test.each([
  ['a table of migrations', 'create table migrations (id integer primary key, batch integer)', 'migrations'],
  ['its levels', 'create table migrations (level integer, works_with integer)', 'migrations'],
  ['other tables', 'create table contacts (name text)', 'contacts'],
])('a database of another program with %s is refused, and stays as it is', async (_, sql, table) => {
  const url = await emptyDatabase();
  const client = await connected(url);
  await client.query(sql);

  await expect(opened(url)).rejects.toMatchObject({
    code: 'store-unsupported',
    message: `the database has tables of another program (${table}): create a database for Portaria alone`,
  });
  const { rows } = await client.query(
    "select count(*)::integer as tables from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
  );
  expect(rows).toEqual([{ tables: 1 }]);
});

test('a connection that ends in the middle of a migration leaves nothing of it, and no lock', async () => {
  const url = await emptyDatabase();
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const suicide: Migration = {
    ...adding,
    sql: `${adding.sql}; select pg_terminate_backend(pg_backend_pid())`,
  };

  await expect(migrate(client, 0, [...migrations, suicide])).rejects.toMatchObject({ code: '57P01' });

  const other = await connected(url);
  expect((await other.query("select to_regclass('subjects') as found")).rows).toEqual([{ found: null }]);
  expect(
    (
      await other.query(
        "select from pg_locks join pg_database on oid = database where locktype = 'advisory' and datname = current_database()",
      )
    ).rowCount,
  ).toBe(0);
  await migrated(url, adding);
  expect(await levelsOf(url)).toEqual([...expectedLevels, next]);
});

test('a migrating process that is frozen keeps the lock for a minute at most', async () => {
  const url = await emptyDatabase();
  const client = await connected(url);
  const asked: Migration = {
    ...adding,
    sql: "create table asked as select current_setting('idle_in_transaction_session_timeout') as timeout",
  };
  await migrate(client, 0, [...migrations, asked]);
  expect((await client.query('select timeout from asked')).rows).toEqual([{ timeout: '1min' }]);
});

test('a migration lets others pass while it waits for a long statement', async () => {
  const url = await emptyDatabase();
  await opened(url);
  const [reader, other] = [await connected(url), await connected(url)];
  await reader.query('begin; select from subjects');
  const migrating = migrated(url, adding);

  // It queues behind the migration, which gives way after a second.
  await expect
    .poll(
      async () =>
        (await other.query("select from pg_locks where not granted and relation = 'subjects'::regclass"))
          .rowCount,
    )
    .toBe(1);
  await expect(other.query('select from subjects')).resolves.toBeDefined();

  await reader.query('commit');
  await migrating;
  expect(await levelsOf(url)).toEqual([...expectedLevels, next]);
});
