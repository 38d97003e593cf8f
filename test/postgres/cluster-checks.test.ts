/**
 * The checks of `doctor` for what grows for days before it fails. Views take the places of the server's own, and say
 * what it would say after those days.
 */
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { storeTypes } from '../../src/store/postgres/database/connections/pools.ts';
import { clusterChecks } from '../../src/store/postgres/database/checks/check-cluster.ts';
import { createQueryBuilder } from '../../src/store/postgres/sql/connection.ts';
import { createSession } from '../../src/store/postgres/sql/session.ts';
import { emptyDatabase } from './empty-database.ts';

/** Runs the checks on a server that says something else about itself. */
async function checksGiven(...statements: readonly string[]) {
  const client = new pg.Client({ connectionString: await emptyDatabase(), types: storeTypes });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('create schema staged; set search_path = staged, pg_catalog, public');
  for (const statement of statements) await client.query(statement);
  const checks = await clusterChecks(createSession(client, createQueryBuilder()));
  return new Map(checks.map(({ name, ...check }) => [name, check]));
}

const sessions = (columns: string, count: string) => `
create view pg_stat_activity as
select 'client backend'::text as backend_type, 7 as pid, 'a report'::text as application_name, ${columns}
from generate_series(1, ${count})`;

const idle = 'null::xid as backend_xmin, null::timestamptz as xact_start';

const standbys = (...rows: readonly string[]) => `
create view pg_stat_replication (application_name, sync_state, replay_lsn) as
select * from (values ${rows.join(', ')}) as rows`;

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
    'create view pg_stat_replication as select null::text as application_name, null::text as sync_state, null::pg_lsn as replay_lsn where false',
  );

  expect([...checks.values()].filter(({ ok }) => !ok)).toEqual([]);
  expect([...checks.keys()]).toEqual([
    'connections',
    'transaction ids',
    'open transactions',
    'removed rows',
    'indexes',
    'standbys',
  ]);
  expect(checks.get('standbys')?.detail).toBe('none: only a backup survives the loss of the disk');
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
])('$name fails with what to do', async ({ name, given, says }) => {
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
