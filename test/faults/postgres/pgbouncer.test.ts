/**
 * Given two receivers under load, and PgBouncer in transaction mode before PostgreSQL with fewer connections than they
 * have: with the direct address they listen there, without it they poll. Nothing is lost, doubled or reordered.
 */
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { portaria } from '../../support/running-portaria.ts';
import { need } from '../kit/needs.ts';
import { findPgBouncer, startPgBouncer } from '../kit/programs/pgbouncer.ts';
import { createDatabase, postgresOfTest, startReceivers } from '../kit/programs/receivers.ts';

/** What the log says without a direct address. */
const WARNING = 'set PORTARIA_DATABASE_DIRECT';

async function startBehindPooler(name: string, settings: (database: string) => Record<string, string>) {
  const database = await createDatabase(await postgresOfTest(), name);
  const pooled = { PORTARIA_DATABASE: await startPgBouncer(database), ...settings(database) };
  const receivers = await startReceivers(database, [pooled, pooled]);
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  onTestFinished(() => client.end());
  const connectionsFor = async (purpose: string) => {
    const { rowCount } = await client.query(
      'select from pg_stat_activity where datname = current_database() and application_name like $1',
      [`portaria ${purpose} %`],
    );
    return rowCount;
  };
  return { receivers, pooled, connectionsFor };
}

test('behind PgBouncer, with the direct address', async (context) => {
  need(context, 'postgres', 'pgbouncer');
  const direct = (database: string) => ({ PORTARIA_DATABASE_DIRECT: database });
  const { receivers, pooled, connectionsFor } = await startBehindPooler('direct', direct);
  await receivers.acknowledgedMore(80);

  await expect.poll(() => connectionsFor('listen')).toBe(2);
  expect(receivers.running.filter(({ written }) => written().includes(WARNING))).toEqual([]);
  const { code, out } = await portaria(['stats', '--json'], pooled);
  expect([code, (JSON.parse(out) as { processes: unknown[] }).processes.length]).toEqual([0, 2]);

  const { handledTwice } = await receivers.finish('behind PgBouncer', {
    version: findPgBouncer()?.version ?? '',
  });
  expect(handledTwice).toBe(0);
});

test('behind PgBouncer, without the direct address', async (context) => {
  need(context, 'postgres', 'pgbouncer');
  const { receivers, connectionsFor } = await startBehindPooler('pooled', () => ({}));
  await receivers.acknowledgedMore(80);

  expect(await connectionsFor('listen')).toBe(0);
  expect(receivers.running.every(({ written }) => written().includes(WARNING))).toBe(true);

  const { handledTwice } = await receivers.finish('behind PgBouncer, without a direct address');
  expect(handledTwice).toBe(0);
});
