import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createTransact } from '../../src/store/postgres/database/connections/transaction.ts';
import { createQueryBuilder } from '../../src/store/postgres/sql/connection.ts';
import { emptyDatabase } from './postgres-places.ts';

/** Runs a query in a transaction of a database with these settings. */
async function inTransaction(settings: Readonly<Record<string, string>>, of: string): Promise<unknown> {
  const url = await emptyDatabase();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const name = new URL(url).pathname.slice(1);
  for (const [setting, value] of Object.entries(settings))
    await admin.query(`alter database ${name} set ${setting} = '${value}'`);
  await admin.end();
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  onTestFinished(() => pool.end());
  const transact = createTransact(pool, { builder: createQueryBuilder(), location: url });
  const row = await transact((session) =>
    session.first(sql<{ value: string }>`select current_setting(${of}) as value`),
  );
  return row?.value;
}

test.each(['repeatable read', 'serializable', 'read committed'])(
  'a transaction is read committed in a database whose default is %s',
  async (isolation) => {
    const settings = { default_transaction_isolation: isolation };
    expect(await inTransaction(settings, 'transaction_isolation')).toBe('read committed');
  },
);

test.each([
  ['off', 'on'],
  ['local', 'local'],
  ['remote_apply', 'remote_apply'],
])('with synchronous_commit = %s of the database, a commit has %s', async (given, used) => {
  expect(await inTransaction({ synchronous_commit: given }, 'synchronous_commit')).toBe(used);
});
