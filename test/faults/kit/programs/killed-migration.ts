import { expect } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { startServe } from '../../../support/running-portaria.ts';
import { startTcpProxy } from '../../../support/tcp-proxy.ts';
import { query } from './receivers.ts';

/**
 * Starts a process that migrates, and kills it when it sends a statement.
 *
 * @param program the built program of another version
 */
export async function killMigration(database: string, at: string, program?: string): Promise<void> {
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
