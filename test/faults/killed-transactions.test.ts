/**
 * Given a handler in a transaction of the user's own database, and processes that are killed between that commit and
 * the record of the outcome, once for each event: each effect is in the database once. `FAULTS_KILLS=500` for more.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { keysDdl } from '../../src/cli/commands/transactions-command.ts';
import { eventually } from '../support/eventually.ts';
import { portaria, rows, serve, startServe, type StartedPortaria } from '../support/running-portaria.ts';
import { charge } from '../support/webhooks/envelopes.ts';
import { createWorkspace, type Workspace } from '../support/workspace.ts';
import { printFigures } from './kit/figures.ts';
import { need } from './kit/needs.ts';
import { createDatabase, postgresOfTest, query } from './kit/programs/receivers.ts';
import { wholeNumber } from './kit/whole-number.ts';

const KILLS = wholeNumber('FAULTS_KILLS', 4);
/** Milliseconds for all kills of a test, each of which costs a start. */
const LIMIT_MS = 240_000 + KILLS * 5_000;
const TABLE = 'create table entries (charge integer, amount integer)';

/** From where a file outside of this package finds its libraries. */
const library = JSON.stringify(import.meta.url);

/** The first lines of a handlers file: `dieOnce(commit)` kills the process after the first commit for each charge. */
const dieOnce = (folder: string) => `
  import { mkdirSync } from 'node:fs';
  import { defineHandler } from 'portaria';
  let running;
  function dieOnce() {
    try { mkdirSync(${JSON.stringify(join(folder, 'killed-'))} + running); } catch { return; }
    process.kill(process.pid, 'SIGKILL');
  }
`;

const onSqlite = ({ folder }: Workspace, file: string) => `${dieOnce(folder)}
  import { sqliteTransaction } from 'portaria/transactions';
  import { DatabaseSync } from 'node:sqlite';
  const database = new DatabaseSync(${JSON.stringify(file)});
  const exec = (text) => { database.exec(text); if (text === 'commit') dieOnce(); };
  export default defineHandler({
    name: 'ledger', on: 'charge.*', retry: { attempts: 50 },
    transaction: sqliteTransaction({ exec, prepare: (text) => database.prepare(text) }),
    handle({ data }, { tx }) {
      running = data.id;
      tx.prepare('insert into entries (charge, amount) values (?, ?)').run(data.id, data.amount);
    },
  });`;

const onPostgres = ({ folder }: Workspace, url: string) => `${dieOnce(folder)}
  import { pgTransaction } from 'portaria/transactions';
  import { createRequire } from 'node:module';
  const pg = createRequire(${library})('pg');
  const pool = new pg.Pool({ connectionString: ${JSON.stringify(url)} });
  const connect = async () => {
    const client = await pool.connect();
    const query = async (...given) => {
      const result = await client.query(...given);
      if (given[0] === 'commit') dieOnce();
      return result;
    };
    return Object.assign(Object.create(client), { query });
  };
  export default defineHandler({
    name: 'ledger', on: 'charge.*', retry: { attempts: 50 },
    transaction: pgTransaction({ connect, options: pool.options }),
    async handle({ data }, { tx }) {
      running = data.id;
      await tx.query('insert into entries (charge, amount) values ($1, $2)', [data.id, data.amount]);
    },
  });`;

/** Posts one charge for each kill, and starts each receiver again whenever it ends, until all are handled. */
async function handleAll(workspace: Workspace, database: string, receivers: number): Promise<number> {
  const env = {
    PORTARIA_DATABASE: database,
    PORTARIA_HANDLERS: workspace.handlers,
    // A process that is killed interrupts no other attempt.
    PORTARIA_CONCURRENCY: '1',
  };
  const first = await serve(env);
  const paused = await portaria(['handlers', 'pause', 'ledger', '--reason', 'all at once'], env);
  expect(paused.code, paused.err).toBe(0);
  for (let id = 0; id < KILLS; id += 1) expect((await first.post(charge(id, 7))).status).toBe(202);

  let isDone = false;
  async function supervise(first: Pick<StartedPortaria, 'ended'>): Promise<void> {
    for (let running = first; ; running = startServe(env)) {
      const { signal } = await running.ended;
      if (isDone || signal !== 'SIGKILL') return;
    }
  }
  void supervise(first);
  for (let more = 1; more < receivers; more += 1) void supervise(startServe(env));
  const resumed = await portaria(['handlers', 'resume', 'ledger'], env);
  expect(resumed.code, resumed.err).toBe(0);
  await eventually(
    'all is handled',
    async () => {
      const [stats] = await rows(['stats'], env);
      return (stats?.['deliveries'] as { readonly succeeded: number } | undefined)?.succeeded === KILLS;
    },
    LIMIT_MS,
  );
  isDone = true;
  return readdirSync(workspace.folder).filter((name) => name.startsWith('killed-')).length;
}

const each = Array.from({ length: KILLS }, (_, id) => ({ charge: id, amount: 7 }));

test(
  'on SQLite, each effect is there once after kills between its commit and the record of it',
  { timeout: 2 * LIMIT_MS },
  async () => {
    const workspace = createWorkspace();
    const file = join(workspace.folder, 'books.db');
    const books = new BetterSqlite3(file);
    onTestFinished(() => void books.close());
    books.exec(`${keysDdl('sqlite')} ${TABLE}`);
    workspace.writeHandler('ledger.mjs', onSqlite(workspace, file));
    const kills = await handleAll(workspace, workspace.database, 1);
    expect(books.prepare('select charge, amount from entries order by charge').all()).toEqual(each);
    expect(kills).toBe(KILLS);
    printFigures('transactions on SQLite', { kills, effects: each.length });
  },
);

test('on PostgreSQL with two receivers, too', { timeout: 2 * LIMIT_MS }, async (context) => {
  need(context, 'postgres');
  const server = await postgresOfTest();
  const workspace = createWorkspace();
  const url = await createDatabase(server, 'books');
  await query(url, `${keysDdl('pg')} ${TABLE}`);
  workspace.writeHandler('ledger.mjs', onPostgres(workspace, url));
  const kills = await handleAll(workspace, await createDatabase(server), 2);
  expect(await query(url, 'select charge, amount from entries order by charge')).toEqual(each);
  expect(kills).toBe(KILLS);
  printFigures('transactions on PostgreSQL', { kills, effects: each.length });
});
