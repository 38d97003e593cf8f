/** Given a PostgreSQL that cannot be used: the store does not open, says what to do, and shows no password. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { needsPostgres } from '../../../scripts/postgres/programs.mjs';
import { startPostgresServer, type PostgresServer } from '../../../scripts/postgres/server.mjs';
import { serve } from '../../support/running-portaria.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { need } from '../kit/needs.ts';
import { refusalOf } from '../kit/programs/refusal.ts';
import { chargeBody } from '../kit/senders/webhooks.ts';

const RIGHT = 'right-Secret-1';
const WRONG = 'wrong-Secret-2';

let server: PostgresServer;

beforeAll(async () => {
  if (needsPostgres() !== undefined) return;
  server = await startPostgresServer({ settings: ['fsync=off'] });
  writeFileSync(
    join(server.data, 'pg_hba.conf'),
    `host all with_password all scram-sha-256
hostssl all with_tls all trust
host all portaria,reader,few,nothing all trust
`,
  );
  await run(
    'postgres',
    'select pg_reload_conf()',
    `create role with_password login password '${RIGHT}'`,
    'create role with_tls login',
    'create role reader login',
    'create role few login connection limit 5',
    'create role nothing login connection limit 0',
  );
});

afterAll(async () => {
  if (needsPostgres() === undefined) await server.stop();
});

beforeEach((context) => {
  need(context, 'postgres');
});

async function run(database: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: address(database) });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** @param user with a password, if it has one */
function address(database: string, user = 'portaria'): string {
  return `postgres://${user}@127.0.0.1:${new URL(server.url).port}/${database}`;
}

let created = 0;
async function newDatabase(options = ''): Promise<string> {
  created += 1;
  const name = `rejected_${String(created)}`;
  await run('postgres', `create database ${name} template template0 ${options}`);
  return name;
}

/** A database with Portaria's tables. */
async function usedDatabase(): Promise<string> {
  const name = await newDatabase();
  expect(await refusalOf(address(name))).toBeUndefined();
  return name;
}

const cases: readonly {
  readonly what: string;
  readonly given: () => Promise<string>;
  readonly says: readonly RegExp[];
}[] = [
  {
    what: 'a wrong password',
    given: async () => address('postgres', `with_password:${WRONG}`),
    says: [/with_password@127\.0\.0\.1/, /rejects the user or the password: check both/],
  },
  {
    what: 'no password',
    given: async () => address('postgres', 'with_password'),
    says: [
      /asks for a password: set it in the address \(in PORTARIA_DATABASE, .*\), in PGPASSWORD or in ~\/\.pgpass/,
    ],
  },
  {
    what: 'an unknown database',
    given: async () => address('nowhere', `with_password:${RIGHT}`),
    says: [/the database does not exist: create it, or check its name/],
  },
  {
    what: 'a port where nothing listens',
    given: async () => 'postgres://portaria@127.0.0.1:1/postgres',
    says: [/cannot be reached: check that it runs, and the address/],
  },
  {
    what: 'a database that is read-only',
    async given() {
      const name = await newDatabase();
      await run('postgres', `alter database ${name} set default_transaction_read_only = on`);
      return address(name);
    },
    says: [/default_transaction_read_only: is on, .* set it to off/],
  },
  {
    what: 'a user that may not create tables',
    given: async () => address(await newDatabase(), 'reader'),
    says: [/the user may not do this: own the tables, or grant all rights/],
  },
  {
    what: 'a user that may not write',
    async given() {
      const name = await usedDatabase();
      await run(name, 'grant select on all tables in schema public to reader');
      return address(name, 'reader');
    },
    says: [
      /the user reader may not read and write .* and \d+ more/,
      /grant select, insert, update, delete on all tables in schema public to reader/,
      /grant create on schema public to reader/,
      /alter table event_contents owner to reader/,
    ],
  },
  {
    what: 'a user with too few connections',
    async given() {
      const name = await newDatabase();
      await run('postgres', `grant all on database ${name} to few`);
      return address(name, 'few');
    },
    says: [/allows this user 5, and each process needs 14: raise max_connections/],
  },
  {
    what: 'no connection left',
    given: async () => address('postgres', 'nothing'),
    says: [/no connection left: raise max_connections/],
  },
  {
    what: 'a database that does not hold all texts',
    given: async () => address(await newDatabase("encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'")),
    says: [/LATIN1 does not hold all texts: create a database with the encoding UTF8/],
  },
  {
    what: 'the tables of another program',
    async given() {
      const name = await newDatabase();
      await run(name, 'create table migrations (id integer, batch integer)');
      return address(name);
    },
    says: [/tables of another program \(migrations\): create a database for Portaria alone/],
  },
  {
    what: 'TLS that the server does not offer',
    given: async () => `${address('postgres')}?sslmode=verify-full`,
    says: [/does not offer TLS: set ssl = on there, or take sslmode out of the address/],
  },
  {
    what: 'a server that wants TLS',
    given: async () => address('postgres', 'with_tls'),
    says: [/takes no connection without TLS: add \?sslmode=verify-full/],
  },
  {
    what: 'a certificate that is missing',
    given: async () => `${address('postgres')}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`,
    says: [/a file of the address cannot be read: check sslrootcert/],
  },
  {
    what: 'a server that is too old',
    async given() {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      const { rows } = await client.query<{ version: string }>(
        "select current_setting('server_version_num') as version",
      );
      await client.end();
      const proxy = await startTcpProxy(server.url);
      const version = rows[0]?.version ?? '';
      proxy.onResponse((packet) =>
        Buffer.from(packet.toString('latin1').replaceAll(version, '130011'), 'latin1'),
      );
      return proxy.through(address(await newDatabase()));
    },
    says: [/is too old: install 14 or later/],
  },
];

test.each(cases)('a store is refused with what to do: $what', async ({ given, says }) => {
  const refusal = await refusalOf(await given());

  for (const text of says) expect(refusal).toMatch(text);
  for (const secret of [RIGHT, WRONG, 'Secret']) expect(refusal).not.toContain(secret);
});

test('a password is in no log, and in no argument of the process', async () => {
  const name = await newDatabase();
  await run('postgres', `alter database ${name} owner to with_password`);
  const running = await serve({
    PORTARIA_DATABASE: address(name, `with_password:${RIGHT}`),
    PORTARIA_LOG_LEVEL: 'debug',
  });
  onTestFinished(() => {
    running.kill('SIGKILL');
  });
  expect((await running.post(JSON.parse(chargeBody(1, 1)))).status).toBe(202);
  // What it says when the server is gone, too.
  await run('postgres', `alter role with_password password '${WRONG}'`);
  await run(
    'postgres',
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'with_password'",
  );
  expect((await running.post(JSON.parse(chargeBody(1, 2)))).status).toBe(503);
  const title = readFileSync(`/proc/${String(running.pid)}/cmdline`, 'utf8');
  running.kill('SIGTERM');
  const { out, err } = await running.ended;

  expect(`${title}${out}${err}`).toContain('with_password');
  expect(`${title}${out}${err}`).not.toContain('Secret');
});
