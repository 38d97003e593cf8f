/** Handlers in transactions of a user's PostgreSQL, by `pg` and by Kysely. */
import { Kysely, PostgresDialect, sql, type Transaction as KyselyTx } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { checkTransactions } from '../../src/serving/check-transactions.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { isRetryLater } from '../../src/handle/define/outcome.ts';
import type { Transaction } from '../../src/handle/define/transaction.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import { keysDdl } from '../../src/cli/commands/transactions-command.ts';
import { keyIsHeld } from '../../src/transactions/keys.ts';
import { kyselyTransaction } from '../../src/transactions/kysely-transaction.ts';
import { pgTransaction } from '../../src/transactions/pg-transaction.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { attempt, transactionPromises, type Opened } from '../support/transaction-promises.ts';
import { connected, emptyDatabase } from './kit/empty-database.ts';
import { untilWaiting } from './kit/raw-client.ts';

interface Entry {
  key: string;
  amount: number;
}

interface Tables {
  entries: Entry;
}

const INSERT = 'insert into entries (key, amount) values ($1, $2)';

/** A pool of four connections, which ends with the test. */
function poolOf(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 4 });
  pool.on('error', () => undefined);
  // Kysely does not listen: without this, a connection that ends in a transaction would end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  onTestFinished(() => pool.end());
  return pool;
}

async function openPg() {
  const url = await emptyDatabase();
  const admin = await connected(url);
  await admin.query(`${keysDdl('pg')} create table entries (key text unique, amount integer)`);
  const pool = poolOf(url);
  const opened: Opened = {
    transaction: pgTransaction(pool),
    write: (tx, ...values) => (tx as pg.PoolClient).query(INSERT, values),
    run: (tx, statement) => (tx as pg.PoolClient).query(statement),
    entries: async () => (await admin.query<Entry>('select key, amount from entries order by key')).rows,
  };
  return { ...opened, url, admin, pool };
}

async function openKysely() {
  const opened = await openPg();
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: poolOf(opened.url) }) });
  return {
    ...opened,
    transaction: kyselyTransaction(db) as Transaction<unknown>,
    write: (tx: unknown, key: string, amount: number) =>
      (tx as KyselyTx<Tables>).insertInto('entries').values({ key, amount }).execute(),
    run: (tx: unknown, statement: string) => sql.raw(statement).execute(tx as KyselyTx<Tables>),
  };
}

transactionPromises('pg', openPg);
transactionPromises('Kysely on PostgreSQL', openKysely);

const kinds = { pg: openPg, Kysely: openKysely };

test.each(['pg', 'Kysely'] as const)(
  '%s: of two runs at a time one waits for the other, and does nothing',
  async (kind) => {
    const opened = await kinds[kind]();
    const gate = Promise.withResolvers<undefined>();
    const begun = Promise.withResolvers<undefined>();
    const first = attempt(opened, async (tx) => {
      await opened.write(tx, 'a', 1);
      begun.resolve(undefined);
      await gate.promise;
    });
    await begun.promise;
    const second = attempt(opened, (tx) => opened.write(tx, 'a', 2));
    await untilWaiting(opened.admin, 1);
    gate.resolve(undefined);
    await Promise.all([first, second]);
    expect(await opened.entries()).toEqual([{ key: 'a', amount: 1 }]);
  },
);

test('a key that another run holds for too long asks for a later attempt', () => {
  const refused = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
  const held = (() => {
    try {
      return keyIsHeld(refused);
    } catch (error) {
      return error;
    }
  })();
  expect(isRetryLater(held)).toBe(true);
});

test.each(['pg', 'Kysely'] as const)(
  '%s: an error that is swallowed commits nothing, and is named',
  async (kind) => {
    const opened = await kinds[kind]();
    const swallows = attempt(opened, async (tx) => {
      await opened.write(tx, 'a', 1);
      await Promise.resolve(opened.write(tx, 'a', 2)).catch(() => undefined);
    });
    await expect(swallows).rejects.toThrow('its error was swallowed');
    expect(await opened.entries()).toEqual([]);
  },
);

test.each(['pg', 'Kysely'] as const)(
  '%s: after a deadlock, the work runs once more within the attempt',
  async (kind) => {
    const opened = await kinds[kind]();
    const { admin, write } = opened;
    await admin.query("insert into entries values ('x', 0), ('y', 0)");
    let calls = 0;
    await attempt(opened, async (tx) => {
      calls += 1;
      await write(tx, `call ${String(calls)}`, calls);
      if (calls === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
    });
    expect(calls).toBe(2);
    expect((await opened.entries()).map(({ key }) => key)).toEqual(['call 2', 'x', 'y']);
  },
);

test.each(['pg', 'Kysely'] as const)(
  '%s: a connection that is lost before its commit fails the attempt, and the next one does the work',
  async (kind) => {
    const opened = await kinds[kind]();
    const { admin, write } = opened;
    const lost = attempt(opened, async (tx) => {
      await write(tx, 'a', 1);
      await admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
      );
    });
    await expect(lost).rejects.toThrow();
    expect(await opened.entries()).toEqual([]);
    await attempt(opened, (tx) => write(tx, 'a', 2));
    expect(await opened.entries()).toEqual([{ key: 'a', amount: 2 }]);
  },
);

test('a commit without an answer says so, and the next attempt finds the key', async () => {
  const opened = await openPg();
  const { pool, write } = opened;
  const transaction = pgTransaction({
    connect: async () => {
      const client = await pool.connect();
      const query = client.query.bind(client) as (...given: unknown[]) => Promise<pg.QueryResult>;
      const losing = async (...given: unknown[]) => {
        const result = await query(...given);
        if (given[0] === 'commit') throw new Error('Connection terminated unexpectedly');
        return result;
      };
      return Object.assign(Object.create(client) as pg.PoolClient, { query: losing });
    },
  }) as Transaction<unknown>;
  const unknown = attempt({ ...opened, transaction }, (tx) => write(tx, 'a', 1));
  await expect(unknown).rejects.toThrow('the commit was not answered: the next attempt finds its key');
  await attempt(opened, (tx) => write(tx, 'a', 2));
  expect(await opened.entries()).toEqual([{ key: 'a', amount: 1 }]);
});

test('a start refuses a database without the table, warns of one that is away, and of a small pool', async () => {
  const empty = poolOf(await emptyDatabase());
  const away = poolOf('postgres://127.0.0.1:1/none');
  const definitions = [empty, away].map((pool, number) =>
    defineHandler({
      name: `ledger-${String(number)}`,
      on: 'charge.*',
      transaction: pgTransaction(pool),
      handle: (_, { tx }) => tx.query('select 1'),
    }),
  );
  const warnings: object[] = [];
  const log: Logger = { ...silentLogger, warn: (fields) => void warnings.push(fields) };
  const checked = checkTransactions(definitions, { concurrency: 10, clock: systemClock, log });
  await expect(checked).rejects.toThrow(/handler "ledger-0": its database has no table portaria_handled/);
  await expect(checked).rejects.not.toThrow(/ledger-1/);
  expect(warnings).toContainEqual(
    expect.objectContaining({ handlers: ['ledger-1'], reason: expect.any(String) as string }),
  );
  expect(warnings).toContainEqual({ handlers: ['ledger-0'], connections: 4, concurrency: 10 });
});
