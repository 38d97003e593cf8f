/**
 * Given a migration that is killed at any of its messages, with its server or by itself, and several that start at
 * once: the tables are whole afterwards, and no lock is left behind.
 */
import pg from 'pg';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { portaria, serve, startServe } from '../support/running-portaria.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { printFigures } from './kit/figures.ts';
import { inspectStore } from './kit/inspect-store.ts';
import { need } from './kit/needs.ts';
import { createDatabase, postgresOfTest } from './kit/receivers.ts';
import { chargeBody } from './kit/webhooks.ts';

/** The first statement that creates a table. */
const FIRST_TABLE = 'create table store';

async function query(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** The problems of a database after the next start, which must succeed. */
async function damageTo(database: string): Promise<readonly string[]> {
  const running = await serve({ PORTARIA_DATABASE: database });
  const { status } = await running.post(JSON.parse(chargeBody(1, 1)));
  running.kill('SIGTERM');
  await running.ended;
  const checks = await inspectStore(database, (store) => store.checks());
  const failing = checks
    .filter(({ ok, name }) => !ok && name !== 'clock')
    .map(({ name, detail }) => `${name}: ${detail}`);
  return status === 202 ? failing : [...failing, `status ${String(status)}`];
}

const tablesOf = (database: string) =>
  query(
    database,
    "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
  );

test(
  'a migration that is killed leaves nothing, and the next start makes the tables',
  { timeout: 480_000 },
  async (context) => {
    need(context, 'postgres');
    const server = await postgresOfTest();
    const damaged: string[] = [];
    const killedAt: string[] = [];

    for (const at of [FIRST_TABLE, 'insert into migrations', 'commit\0']) {
      const database = await createDatabase(server, `killed_${String(killedAt.length)}`);
      const network = await startTcpProxy(database);
      // A direct address is that of migrations: a pooler in transaction mode is not in their way.
      const started = startServe({
        PORTARIA_DATABASE: database,
        PORTARIA_DATABASE_DIRECT: network.through(database),
      });
      network.onRequest((packet) => {
        if (!packet.includes(at)) return 'pass';
        started.kill('SIGKILL');
        return at === FIRST_TABLE ? 'pass' : 'hold';
      });
      expect(await started.ended).toMatchObject({ signal: 'SIGKILL' });
      network.cut();
      await eventually('the server has noticed', async () => {
        const left = await query(
          database,
          "select from pg_stat_activity where application_name like 'portaria migrate %'",
        );
        return left.length === 0;
      });
      expect(await query(database, "select from pg_locks where locktype = 'advisory'")).toEqual([]);
      expect(await tablesOf(database)).toEqual([]);
      damaged.push(...(await damageTo(database)));
      killedAt.push(at.split(/\0| /u)[0] ?? '');
    }

    const database = await createDatabase(server, 'crashed');
    const network = await startTcpProxy(database);
    let reached = false;
    network.onRequest((packet) => {
      reached ||= packet.includes('insert into migrations');
      return reached ? 'hold' : 'pass';
    });
    const started = startServe({
      PORTARIA_DATABASE: database,
      PORTARIA_DATABASE_DIRECT: network.through(database),
    });
    await eventually('the migration is in its middle', () => reached);
    await server.crash();
    network.cut();
    const { code, err } = await started.ended;
    expect(code).toBe(1);
    expect(err).toMatch(/cannot be reached: check that it runs/);
    await server.restart();
    expect(await tablesOf(database)).toEqual([]);
    damaged.push(...(await damageTo(database)));

    printFigures('killed migration of PostgreSQL', {
      'killed at': [...killedAt, 'PostgreSQL'].join(','),
      damaged: damaged.length,
    });
    expect(damaged).toEqual([]);
  },
);

test('processes that start at once on an empty database all serve, one of them migrates', async (context) => {
  need(context, 'postgres');
  const server = await postgresOfTest();
  const database = await createDatabase(server);
  const settings = { PORTARIA_DATABASE: database, PORTARIA_DATABASE_DIRECT: database };

  const running = await Promise.all([serve(settings), serve(settings), serve(settings)]);
  const posted = await Promise.all(running.map((one, id) => one.post(JSON.parse(chargeBody(id, 1)))));

  expect(posted.map(({ status }) => status)).toEqual([202, 202, 202]);
  const levels = await query(database, 'select level from migrations');
  expect(new Set(levels.map(({ level }) => level)).size).toBe(levels.length);
  for (const one of running) {
    one.kill('SIGTERM');
    expect(await one.ended).toMatchObject({ code: 0 });
  }
  printFigures('migrations at once', { processes: running.length, levels: levels.length });
  expect((await portaria(['doctor'], settings)).out).toContain('schema');
});
