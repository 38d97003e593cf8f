/** A database that was restored or has failed over: the start of `serve`, a process that runs and `doctor` say so. */
import type pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../../src/store/open-store.ts';
import { readServerMove } from '../../../src/store/postgres/database/identity/known-server.ts';
import { createQueryBuilder } from '../../../src/store/postgres/sql/connection.ts';
import { createSession } from '../../../src/store/postgres/sql/session.ts';
import type { StoreRole } from '../../../src/store/store.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { cliEnvironment } from '../../cli/kit/cli-environment.ts';
import { serve } from '../../cli/kit/in-this-process.ts';
import { eventually } from '../../support/eventually.ts';
import { connected, emptyDatabase, run as runIn } from '../kit/empty-database.ts';
import { copyOfDatabase, databaseOfStore } from '../kit/postgres-places.ts';

/** What a process is told of the server's history at its start. */
async function toldAtStart(database: string, role: StoreRole = 'owner'): Promise<readonly string[]> {
  const told: string[] = [];
  const store = await openStore(
    { database, databaseDirect: null },
    { role, clock: manualClock(), onWarning: (warning) => void told.push(warning) },
  );
  await store.close();
  return told.filter((warning) => warning.includes('since it was last known'));
}

async function historyIn(cli: ReturnType<typeof cliEnvironment>) {
  const { rows } = await cli.run('doctor', '--json');
  return rows.find(({ name }) => name === 'history');
}

/** What doctor says of the problem. */
async function problemsIn(cli: ReturnType<typeof cliEnvironment>) {
  const { rows } = await cli.run('doctor', '--json');
  return rows.filter(({ name }) => name === 'moved-server');
}

const because = (difference: string) =>
  `the database was restored, moved or has failed over since it was last known: ${difference}; if acknowledged events ` +
  'may be lost, stop every process and run `portaria store renew-id`, because their ids would be given to other events; ' +
  'if none can be, run `portaria store renew-id --keep-id`';

/** A database on which a process has served, and its restored copy. */
async function restored() {
  const original = await databaseOfStore();
  expect(await toldAtStart(original)).toEqual([]);
  return { original, copy: await copyOfDatabase(original) };
}

test('nothing is said at the first start, and at later ones on the same server', async () => {
  const database = await databaseOfStore();
  const cli = cliEnvironment({}, database);
  await toldAtStart(database, 'guest');
  expect(await historyIn(cli)).toMatchObject({
    detail: expect.stringContaining('nothing is recorded yet') as string,
  });

  expect(await toldAtStart(database)).toEqual([]);
  expect(await toldAtStart(database)).toEqual([]);
  expect(await historyIn(cli)).toMatchObject({
    ok: true,
    detail: 'this server is the one on which the store is known',
  });
});

test('a restored database is noticed at each start until the id is renewed', async () => {
  const { original, copy } = await restored();
  const cli = cliEnvironment({}, copy);
  const said = because('it is another database of the cluster');

  expect(await toldAtStart(copy)).toEqual([said]);
  expect(await toldAtStart(copy)).toEqual([said]);
  // Commands have other things to say.
  expect(await toldAtStart(copy, 'guest')).toEqual([]);
  expect(await historyIn(cli)).toMatchObject({
    state: 'warning',
    detail: 'this server is not the one on which the store is known',
  });
  expect(await problemsIn(cli)).toMatchObject([{ state: 'attention', ok: true, detail: said }]);
  expect(await toldAtStart(original)).toEqual([]);

  expect((await cli.run('store', 'renew-id')).code).toBe(0);
  expect(await toldAtStart(copy)).toEqual([]);
  expect(await problemsIn(cli)).toEqual([]);
});

test('a process that serves finds the move while it runs, and stays in service', async () => {
  const database = await databaseOfStore();
  const cli = cliEnvironment({}, database);
  const { written, post } = await serve({ PORTARIA_DATABASE: database });
  expect(written()).not.toContain('since it was last known');

  // As a failover does, after which PostgreSQL is on the next timeline.
  await (await connected(database)).query('update known_server set timeline = timeline - 1');
  await eventually('the log tells of the move', () =>
    written().includes('needs attention: the database was restored, moved or has failed over'),
  );
  expect(written()).toContain('it is on timeline 1 instead of 0');
  expect(await problemsIn(cli)).toMatchObject([
    { state: 'attention', detail: because('it is on timeline 1 instead of 0') },
  ]);
  expect((await post({ type: 'company.archived', data: { id: 7 } })).status).toBe(202);

  expect((await cli.run('store', 'renew-id', '--keep-id')).code).toBe(0);
  expect(await problemsIn(cli)).toEqual([]);
});

test('--keep-id ends the warning beside a running process, keeps the id, and is in the audit', async () => {
  const { copy } = await restored();
  const cli = cliEnvironment({}, copy);
  await cli.withStore(async ({ storeId }) => {
    const { code, out, err } = await cli.run('store', 'renew-id', '--keep-id');
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('is recorded') as string });
    expect(out).toMatch(new RegExp(`store id +${storeId}, as before`, 'u'));
    expect((await cli.run('stats', '--json')).rows).toMatchObject([{ store_id: storeId }]);
    expect((await cli.run('audit', 'list', '--json')).rows).toMatchObject([
      { action: 'keepStoreId', subject: { kept: storeId } },
    ]);
  });
  expect(await toldAtStart(copy)).toEqual([]);
});

describe('what differs', () => {
  test.each([
    ['system = system + 1', 'it is in another cluster'],
    ['tables = tables + 1', 'its tables were created anew'],
    ['timeline = timeline + 6', 'it is on timeline 1 instead of 7'],
  ])('%s', async (change, difference) => {
    const database = await databaseOfStore();
    await toldAtStart(database);
    await (await connected(database)).query(`update known_server set ${change}`);
    expect(await toldAtStart(database)).toEqual([because(difference)]);
  });

  test('is nothing where a server does not tell', async () => {
    const database = await databaseOfStore();
    await toldAtStart(database);
    await (await connected(database)).query('update known_server set system = null, timeline = null');
    expect(await toldAtStart(database)).toEqual([]);
  });
});

describe('a user that only owns the database', () => {
  /** A database of a user without further rights, and the address by which that user connects. */
  async function owned() {
    const url = new URL(await emptyDatabase());
    const database = url.pathname.slice(1);
    const user = `${database}_owner`;
    await runIn('postgres', `create role ${user} login password 'secret'`);
    await runIn('postgres', `alter database ${database} owner to ${user}`);
    await runIn(database, `grant create on schema public to ${user}`);
    onTestFinished(async () => {
      await runIn('postgres', `drop database ${database} with (force)`);
      await runIn('postgres', `create database ${database}`);
      await runIn('postgres', `drop role ${user}`);
    });
    [url.username, url.password] = [user, 'secret'];
    return { url: url.href, database };
  }

  const recorded = async (database: string) => {
    const client = await connected(database);
    const { rows } = await client.query<{ system: boolean; timeline: boolean }>(
      'select system is not null as system, timeline is not null as timeline from known_server',
    );
    return rows;
  };

  test('may read all of it', async () => {
    const { url } = await owned();
    expect(await toldAtStart(url)).toEqual([]);
    expect(await recorded(url)).toEqual([{ system: true, timeline: true }]);
    expect((await statementsOfLook(url)).filter((text) => refusable.test(text))).toHaveLength(2);
  });

  /** Compares the servers as each look does, and returns the statements that this takes. */
  async function statementsOfLook(url: string): Promise<readonly string[]> {
    const client = await connected(url);
    const asked: string[] = [];
    const query = (config: pg.QueryConfig) => {
      asked.push(config.text);
      return client.query(config);
    };
    const session = createSession({ query: query as typeof client.query }, createQueryBuilder());
    expect(await readServerMove(session)).toBeNull();
    return asked;
  }
  const refusable = /pg_control_system|pg_walfile_name/u;

  test('goes by the rest when a function is refused', async () => {
    const { url, database } = await owned();
    for (const refused of ['pg_control_system()', 'pg_walfile_name(pg_lsn)'])
      await runIn(database, `revoke execute on function ${refused} from public`);
    expect(await toldAtStart(url)).toEqual([]);
    expect(await recorded(url)).toEqual([{ system: false, timeline: false }]);
    expect(await toldAtStart(url)).toEqual([]);
    expect(await historyIn(cliEnvironment({}, url))).toMatchObject({
      detail:
        'this server is the one on which the store is known; it does not tell its identifier and its timeline',
    });
    // PostgreSQL would log each refusal, once a minute.
    expect((await statementsOfLook(url)).filter((text) => refusable.test(text))).toEqual([]);
  });
});
