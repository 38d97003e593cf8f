/**
 * Given two receivers under load, and PgBouncer in transaction mode before PostgreSQL with fewer connections than they
 * have: the one with the direct address listens there, the other one polls. Nothing is lost, doubled or reordered.
 */
import { expect, test } from 'vitest';
import { portaria } from '../../support/running-portaria.ts';
import { need } from '../kit/needs.ts';
import { findPgBouncer, startPgBouncer } from '../kit/programs/pgbouncer.ts';
import { createDatabase, postgresOfTest, query, startReceivers } from '../kit/programs/receivers.ts';

/** What the log says without a direct address. */
const WARNING = 'set PORTARIA_DATABASE_DIRECT';

test('behind PgBouncer, with the direct address and without it', async (context) => {
  need(context, 'postgres', 'pgbouncer');
  const database = await createDatabase(await postgresOfTest());
  const pooled = { PORTARIA_DATABASE: await startPgBouncer(database) };
  const receivers = await startReceivers(database, [
    { ...pooled, PORTARIA_DATABASE_DIRECT: database },
    pooled,
  ]);
  await receivers.acknowledgedMore(80);

  const listening = await query(
    database,
    `select substring(application_name from '[0-9]+$') as pid from pg_stat_activity
      where datname = current_database() and application_name like 'portaria listen %'`,
  );
  expect(listening).toEqual([{ pid: String(receivers.at(0).pid) }]);
  expect(receivers.running.map(({ written }) => written().includes(WARNING))).toEqual([false, true]);
  const { code, out } = await portaria(['stats', '--json'], pooled);
  expect([code, (JSON.parse(out) as { processes: unknown[] }).processes.length]).toEqual([0, 2]);

  const { handledTwice } = await receivers.finish('behind PgBouncer', {
    version: findPgBouncer()?.version ?? '',
  });
  expect(handledTwice).toBe(0);
});
