/**
 * Given a first migration that is killed at its messages, with its server or by itself: the tables are whole afterwards,
 * and no lock is left behind. An update of tables in use is killed in two-versions.test.ts.
 */
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { serve, startServe } from '../../support/running-portaria.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { printFigures } from '../kit/figures.ts';
import { inspectStore } from '../kit/inspect-store.ts';
import { need } from '../kit/needs.ts';
import { killMigration } from '../kit/programs/killed-migration.ts';
import { createDatabase, postgresOfTest, query } from '../kit/programs/receivers.ts';
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
