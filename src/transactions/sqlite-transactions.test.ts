import { DatabaseSync } from 'node:sqlite';
import BetterSqlite3 from 'better-sqlite3';
import { Kysely, sql, SqliteDialect, type Transaction as KyselyTx } from 'kysely';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { createPortaria } from '../compose.ts';
import { loadConfig } from '../config/load-config.ts';
import type { Definition } from '../handle/define/definition.ts';
import { defineHandler } from '../handle/define/handler.ts';
import { isGiveUp } from '../handle/define/outcome.ts';
import { defineMachine } from '../handle/define/machine.ts';
import { createReplay } from '../../test/support/replay-job.ts';
import { silentLogger } from '../../test/support/silent-logger.ts';
import { attempt, transactionPromises, type Opened } from '../../test/support/transaction-promises.ts';
import { charge } from '../../test/support/webhooks/envelopes.ts';
import { keysDdl } from '../cli/commands/transactions-command.ts';
import { kyselyTransaction } from './kysely-transaction.ts';
import { sqliteTransaction } from './sqlite-transaction.ts';

const ENTRIES = 'create table entries (key text, amount integer)';
const INSERT = 'insert into entries (key, amount) values (?, ?)';
const SELECT = 'select key, amount from entries order by key';

async function openBetterSqlite(): Promise<Opened> {
  const database = new BetterSqlite3(':memory:');
  database.exec(`${keysDdl('sqlite')}; ${ENTRIES}`);
  return {
    transaction: sqliteTransaction(database),
    write: (tx, ...values) => (tx as typeof database).prepare(INSERT).run(...values),
    run: (tx, statement) => (tx as typeof database).exec(statement),
    entries: async () => database.prepare<[], { key: string; amount: number }>(SELECT).all(),
  };
}

async function openNodeSqlite(): Promise<Opened> {
  const database = new DatabaseSync(':memory:');
  database.exec(`${keysDdl('sqlite')}; ${ENTRIES}`);
  return {
    transaction: sqliteTransaction(database),
    write: (tx, ...values) => (tx as typeof database).prepare(INSERT).run(...values),
    run: (tx, statement) => (tx as typeof database).exec(statement),
    entries: async () =>
      database
        .prepare(SELECT)
        .all()
        .map(({ key, amount }) => ({ key: String(key), amount: Number(amount) })),
  };
}

interface Tables {
  entries: { key: string; amount: number };
}

async function openKysely(): Promise<Opened> {
  const database = new BetterSqlite3(':memory:');
  database.exec(`${keysDdl('sqlite')}; ${ENTRIES}`);
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  onTestFinished(() => db.destroy());
  return {
    transaction: kyselyTransaction(db),
    write: (tx, key, amount) =>
      (tx as KyselyTx<Tables>).insertInto('entries').values({ key, amount }).execute(),
    run: (tx, statement) => sql.raw(statement).execute(tx as KyselyTx<Tables>),
    entries: () => db.selectFrom('entries').selectAll().orderBy('key').execute(),
  };
}

transactionPromises('better-sqlite3', openBetterSqlite);
transactionPromises('node:sqlite', openNodeSqlite);
transactionPromises('Kysely on SQLite', openKysely);

test.each([
  ['a promise', async () => undefined],
  // oxlint-disable-next-line unicorn/no-thenable -- what query builders return
  ['what can be awaited', () => Object.fromEntries([['then', (done: () => void) => setImmediate(done)]])],
])('a handler that returns %s gives up, and nothing of the call is committed', async (_, later) => {
  const opened = await openBetterSqlite();
  const run = attempt(opened, (tx) => {
    opened.write(tx, 'a', 1);
    return later();
  });
  await expect(run).rejects.toSatisfy(isGiveUp);
  expect(await opened.entries()).toEqual([]);
});

test('tx has the type of what the transaction hands on, and there is none without a transaction', () => {
  const database = new DatabaseSync(':memory:');
  defineHandler({
    name: 'typed',
    on: 'charge.*',
    transaction: sqliteTransaction(database),
    handle: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<DatabaseSync>(),
  });
  // @ts-expect-error there is no transaction
  defineHandler({ name: 'plain', on: 'charge.*', handle: (_, { tx }) => void tx });
});

test('a definition says what is wrong with its transaction', () => {
  const transaction = sqliteTransaction(new DatabaseSync(':memory:'));
  const define = (more: object) => () =>
    defineHandler({ name: 'ledger', on: 'charge.*', handle: () => undefined, ...more });
  expect(define({ transaction, handle: async () => undefined })).toThrow(
    /handle: is async: a transaction of SQLite/,
  );
  expect(define({ transaction: {} })).toThrow(
    /transaction: is an object: it must be the result of pgTransaction/,
  );
  expect(define({ onReplay: 'again' })).toThrow(/onReplay: needs a transaction/);
  expect(define({ transaction, onReplay: 'twice' })).toThrow(
    /onReplay: is "twice": it must be "once" or "again"/,
  );
});

/** A Portaria with these handlers, in memory. */
async function portariaWith(handlers: readonly Definition[]) {
  const env = { PORTARIA_DATABASE: ':memory:', PORTARIA_PORT: '0', PORTARIA_OPS_PORT: '0' };
  const config = loadConfig(env, '/');
  const portaria = await createPortaria({ config, handlers, log: silentLogger });
  onTestFinished(() => portaria.stop());
  return portaria;
}

test('a start without the table of keys says how to create it', async () => {
  const handler = defineHandler({
    name: 'ledger',
    on: 'charge.*',
    transaction: sqliteTransaction(new DatabaseSync(':memory:')),
    handle: () => undefined,
  });
  const portaria = await portariaWith([handler]);
  await expect(portaria.start()).rejects.toThrow(
    'handler "ledger": its database has no table portaria_handled: create it with what `portaria transactions ddl` prints',
  );
});

test('a replay does nothing again, unless the handler or machine wants it, and then once for each replay', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec(`${keysDdl('sqlite')} ${ENTRIES}`);
  const transaction = sqliteTransaction(database);
  const write = (tx: DatabaseSync, name: string) => void tx.prepare(INSERT).run(name, 1);
  const ledgers = (['once', 'again'] as const).map((onReplay) =>
    defineHandler({
      name: onReplay,
      ...{ on: 'charge.*', transaction, onReplay },
      handle(_, { tx }) {
        write(tx, onReplay);
      },
    }),
  );
  const machine = defineMachine({
    name: 'paid',
    ...{ on: 'charge.*', transaction, initial: 0 },
    evolve: (count: number) => count + 1,
    effects: { counted: { when: () => true, run: (_, { tx }) => write(tx, 'effect') } },
  });
  const portaria = await portariaWith([...ledgers, machine]);
  await portaria.start();
  const post = { method: 'POST', body: JSON.stringify(charge(1, 7)) };
  expect((await portaria.app.request('/webhooks', post)).status).toBe(202);
  await portaria.dispatcher.idle();
  for (const number of [1, 2]) {
    const handlers = ['once', 'again'];
    await createReplay(portaria.store, { handlers }, number);
    await expect
      .poll(
        async () =>
          (await portaria.store.deliveries({ status: 'succeeded' }, { order: 'oldest', limit: 99 })).length,
      )
      .toBe(4 + 2 * number);
  }
  const counts = database
    .prepare('select key, count(*) as entries from entries group by key order by key')
    .all();
  expect(counts.map(({ key, entries }) => [key, entries])).toEqual([
    ['again', 3],
    ['effect', 1],
    ['once', 1],
  ]);
});
