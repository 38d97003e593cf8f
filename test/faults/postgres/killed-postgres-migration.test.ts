/**
 * Given a migration that is killed at any of its messages, with its server or by itself, beside a process that serves
 * or without one: the tables are whole afterwards, and no lock is left behind.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newestLevel } from '../../../src/store/postgres/database/tables/migrations.ts';
import { eventually } from '../../support/eventually.ts';
import { serve, startServe } from '../../support/running-portaria.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { printFigures } from '../kit/figures.ts';
import { inspectStore } from '../kit/inspect-store.ts';
import { need } from '../kit/needs.ts';
import { buildNextVersion } from '../kit/programs/other-versions.ts';
import { createDatabase, postgresOfTest, query, startReceivers } from '../kit/programs/receivers.ts';
import { chargeBody } from '../kit/senders/webhooks.ts';

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

/**
 * Starts a process that migrates, and kills it when it sends a statement.
 *
 * @param program the built program of another version
 */
async function killMigration(database: string, at: string, program?: string): Promise<void> {
  const network = await startTcpProxy(database);
  // A direct address is that of migrations: a pooler in transaction mode is not in their way.
  const settings = { PORTARIA_DATABASE: database, PORTARIA_DATABASE_DIRECT: network.through(database) };
  const started = startServe(settings, [], program);
  network.onRequest((packet) => {
    if (!packet.includes(at)) return 'pass';
    started.kill('SIGKILL');
    return 'hold';
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
}

test('a migration that is killed leaves nothing, and the next start makes the tables', async (context) => {
  need(context, 'postgres');
  const server = await postgresOfTest();
  const damaged: string[] = [];
  const killedAt: string[] = [];

  for (const at of ['insert into migrations', 'commit\0']) {
    const database = await createDatabase(server, `killed_${String(killedAt.length)}`);
    await killMigration(database, at);
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
});

test('an update of tables in use that is killed changes nothing, and the next start makes it', async (context) => {
  need(context, 'postgres');
  const folder = mkdtempSync(join(tmpdir(), 'portaria-next-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const next = buildNextVersion(join(folder, 'next'));
  const server = await postgresOfTest();
  const database = await createDatabase(server, 'updated');
  const receivers = await startReceivers(database, [{}, {}]);
  const tables = () =>
    query(
      database,
      `select (select max(level) from migrations) as level, (select count(*) from pg_attribute
       where attrelid = 'deliveries'::regclass and attname = 'note') as added`,
    );
  await receivers.acknowledgedMore(40);

  for (const at of ['add column note', 'commit\0']) {
    await killMigration(database, at, next);

    expect(await tables()).toEqual([{ level: newestLevel, added: '0' }]);
    await receivers.acknowledgedMore(20);
  }
  await receivers.end(1, 'SIGTERM');
  await receivers.start(1, {}, next);

  expect(await tables()).toEqual([{ level: newestLevel + 1, added: '1' }]);
  await receivers.acknowledgedMore(20);
  await receivers.finish('killed update of PostgreSQL', { kills: 2 });
});
