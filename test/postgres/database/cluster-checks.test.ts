/**
 * The checks of `doctor` for what grows for days before it fails. Views take the places of the server's own, and say
 * what it would say after those days.
 */
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { storeTypes } from '../../../src/store/postgres/database/connections/pools.ts';
import { clusterChecks } from '../../../src/store/postgres/database/checks/check-cluster.ts';
import { createQueryBuilder } from '../../../src/store/postgres/sql/connection.ts';
import { createSession } from '../../../src/store/postgres/sql/session.ts';
import { run, urlOf } from '../kit/empty-database.ts';

/** Runs the checks on a server that says something else about itself. */
async function checksGiven(...statements: readonly string[]) {
  const client = new pg.Client({ connectionString: urlOf('postgres'), types: storeTypes });
  await client.connect();
  onTestFinished(() => client.end());
  // Nothing of it is committed.
  await client.query(
    'begin; create schema staged; set search_path = staged, pg_catalog, public; create table store ()',
  );
  for (const statement of statements) await client.query(statement);
  const checks = await clusterChecks(createSession(client, createQueryBuilder()));
  return new Map(checks.map(({ name, finding: _, ...check }) => [name, check]));
}

const sessions = (columns: string, count: string) => `
create view pg_stat_activity as
select 'client backend'::text as backend_type, 7 as pid, 'a report'::text as application_name, ${columns}
from generate_series(1, ${count})`;

const idle = 'null::xid as backend_xmin, null::timestamptz as xact_start';

const standbys = (...rows: readonly string[]) => `
create view pg_stat_replication as
select application_name, sync_state, replay_lsn, 'streaming' as state, null::xid as backend_xmin
from (values ${rows.join(', ')}) as rows (application_name, sync_state, replay_lsn)`;

/** The number of a transaction so many before the next one. */
const ago = (transactions: number) => `(4294967296 + txid_current() - ${String(transactions)})::text::xid`;

const walSender = (state: string, xmin: string) => `
create view pg_stat_replication as
select 'east' as application_name, 'async' as sync_state, pg_current_wal_lsn() as replay_lsn,
  ${state} as state, ${xmin} as backend_xmin`;

/** A slot of the view; its columns that are not given are those of one in use that keeps nothing. */
const slot = (columns: Readonly<Record<string, string>>) => {
  const all = {
    slot_name: "'east_slot'::name",
    ...{ active: 'true', wal_status: "'reserved'", restart_lsn: 'pg_current_wal_lsn()' },
    ...{ xmin: 'null::xid', catalog_xmin: 'null::xid' },
    ...columns,
  };
  const selected = Object.entries(all).map(([name, value]) => `${value} as ${name}`);
  return `create view pg_replication_slots as select ${selected.join(', ')}`;
};

const atPosition = (position: string) => `
create function pg_current_wal_lsn() returns pg_lsn language sql as $$ select '${position}'::pg_lsn $$`;

const index = (mib: number, rows: number) => [
  `create view pg_class as select 1::oid as oid, 'deliveries_due'::name as relname, 'i'::"char" as relkind,
   'staged'::regnamespace::oid as relnamespace, ${String(rows)}::real as reltuples`,
  `create function pg_relation_size(oid) returns bigint language sql as $$ select ${String(mib)} * 1048576::bigint $$`,
];

const oneStandby = (state: string, position = '0/0') => [
  standbys(`('east', '${state}', '${position}'::pg_lsn)`),
  atPosition('0/6400000'),
];

test('a server with nothing wrong passes all of them', async () => {
  const checks = await checksGiven(
    sessions(idle, '3'),
    'create view pg_prepared_xacts as select now() as prepared, null::text as gid where false',
    `${standbys("('none', 'sync', '0/0'::pg_lsn)")} where false`,
    `${slot({})} where false`,
  );

  expect([...checks.values()].filter(({ ok }) => !ok)).toEqual([]);
  expect([...checks.keys()]).toEqual([
    'connections',
    'transaction ids',
    'open transactions',
    'removed rows',
    'indexes',
    'standbys',
    'standby feedback',
    'replication slots',
  ]);
  expect(checks.get('standbys')?.detail).toBe('none: only a backup survives the loss of the disk');
  expect(checks.get('replication slots')?.detail).toBe('none');
});

test.each([
  {
    name: 'connections',
    given: [sessions(idle, "current_setting('max_connections')::integer")],
    says: /^(\d+) of \d+ are used: set a larger max_connections, or use a pooler$/,
  },
  {
    name: 'transaction ids',
    given: [
      `create view pg_database as select current_database() as datname,
       (4294967296 + txid_current() - 1200000000)::text::xid as datfrozenxid`,
    ],
    says: /^the oldest number of a transaction is 1200\.0 million old: PostgreSQL takes no writes at 2,100 million/,
  },
  {
    name: 'open transactions',
    given: [sessions("'3'::xid as backend_xmin, now() - interval '90 minutes' as xact_start", '1')],
    says: /^the oldest is 90 minutes old: pid 7 \(a report\) keeps removed rows from being vacuumed; end it$/,
  },
  {
    name: 'removed rows',
    given: [
      `create view pg_stat_user_tables as select 'deliveries'::name as relname, 'staged'::name as schemaname,
       300000::bigint as n_dead_tup, 10::bigint as n_live_tup`,
    ],
    says: /^deliveries has 300000 removed rows beside 10: autovacuum is off or too slow; run `vacuum deliveries`/,
  },
  {
    name: 'standbys',
    given: [standbys("('east', 'sync', '0/0'::pg_lsn)"), atPosition('0/60000000')],
    says: /^east \(sync\) lacks 1536 MiB of the log: it would lose them in a failover; look at its network and disk$/,
  },
  {
    name: 'standby feedback',
    given: [walSender("'streaming'", ago(2_500_000))],
    says: /^east keeps removed rows of 2\.5 million transactions from being vacuumed: end the old query there, or switch off hot_standby_feedback$/,
  },
  {
    name: 'replication slots',
    given: [slot({ xmin: ago(2_500_000) })],
    says: /^east_slot keeps removed rows of 2\.5 million transactions from being vacuumed: look at the standby or the program that uses it$/,
  },
  {
    name: 'replication slots',
    given: [slot({ catalog_xmin: ago(2_500_000), active: 'false' })],
    says: /^east_slot keeps removed rows of 2\.5 million transactions from being vacuumed: start what uses it, or run `select pg_drop_replication_slot\('east_slot'\)`$/,
  },
  {
    name: 'replication slots',
    given: [atPosition('0/60000000'), slot({ restart_lsn: "'0/0'::pg_lsn", active: 'false' })],
    says: /^east_slot keeps 1536 MiB of the log, until the disk is full: start what uses it, or run `select pg_drop/,
  },
  {
    name: 'replication slots',
    given: [slot({ wal_status: "'lost'", restart_lsn: 'null::pg_lsn', active: 'false' })],
    says: /^east_slot keeps more of the log than max_slot_wal_keep_size, so its standby may have to be copied again: /,
  },
])('$name fails with what to do: $says', async ({ name, given, says }) => {
  const check = (await checksGiven(...given)).get(name);

  expect(check).toEqual({ ok: false, detail: expect.stringMatching(says) as string });
});

test('an index that has kept the space of a backlog is a warning', async () => {
  expect((await checksGiven(...index(140, 12))).get('indexes')).toEqual({
    ok: true,
    warning: true,
    detail: 'deliveries_due has 140 MiB for 12 rows: run `reindex index concurrently deliveries_due`',
  });
});

test.each([
  ['is small', index(127, 12)],
  ['has many rows', index(140, 150_000)],
])('an index that %s is no warning', async (_, given) => {
  expect((await checksGiven(...given)).get('indexes')).toEqual({
    ok: true,
    detail: 'none is much larger than its rows',
  });
});

test.each([
  ['sync', 'east (sync) lacks 100 MiB of the log'],
  ['quorum', 'east (quorum) lacks 100 MiB of the log'],
  [
    'async',
    'east (async) lacks 100 MiB of the log; none is synchronous, so a failover loses the last commits; ' +
      'synchronous_standby_names prevents that',
  ],
])('a standby that keeps up passes, and its mode is told: %s', async (state, detail) => {
  expect((await checksGiven(...oneStandby(state))).get('standbys')).toEqual({ ok: true, detail });
});

test('without the right to see how far standbys are, it says which right', async () => {
  const given = [standbys("('east', null::text, null::pg_lsn)", "('west', null, null)")];

  expect((await checksGiven(...given)).get('standbys')).toEqual({
    ok: true,
    detail: '2; grant pg_monitor to see how far they are',
  });
});

test('standbys and slots in use that keep up pass', async () => {
  const checks = await checksGiven(walSender("'streaming'", ago(900_000)), slot({ xmin: ago(900_000) }));

  expect(checks.get('standby feedback')).toEqual({
    ok: true,
    detail: 'standbys keep the removed rows of 0.9 million transactions',
  });
  expect(checks.get('replication slots')).toEqual({ ok: true, detail: '1, all in use' });
});

test('a real slot that nothing uses is a warning, and says how to drop it', async () => {
  const name = `unused_${String(process.pid)}`;
  onTestFinished(() => run('postgres', `select pg_drop_replication_slot('${name}')`));

  const checks = await checksGiven(`select pg_create_physical_replication_slot('${name}', true)`);

  expect(checks.get('replication slots')).toEqual({
    ok: true,
    warning: true,
    detail: expect.stringMatching(
      new RegExp(
        `^${name} is not in use and keeps \\d+ MiB of the log: start what uses it, ` +
          `or run .select pg_drop_replication_slot\\('${name}'\\).$`,
      ),
    ) as string,
  });
});

test('without the right to see what others do, the checks say which right', async () => {
  const name = `unprivileged_${String(process.pid)}`;

  const checks = await checksGiven(
    walSender('null::text', 'null::xid'),
    `create role ${name}`,
    `grant usage on schema staged to ${name}`,
    `grant select on pg_stat_replication to ${name}`,
    `set role ${name}`,
  );

  expect(checks.get('open transactions')?.detail).toMatch(/; grant pg_monitor to see those of other users$/);
  expect(checks.get('standby feedback')).toEqual({
    ok: true,
    detail: 'grant pg_monitor to see what standbys keep from being vacuumed',
  });
  expect([...checks.values()].filter(({ ok }) => !ok)).toEqual([]);
});
