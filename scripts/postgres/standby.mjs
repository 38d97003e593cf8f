/** Makes a standby of a PostgreSQL server. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { postgresProgram, unprivilegedUser } from './programs.mjs';
import { runPostgresServer } from './server.mjs';

/**
 * Copies a running server, and starts the copy as a standby that follows it. Its name is `standby`: with
 * `synchronous_standby_names=standby`, the primary acknowledges a commit once it is on the disks of both.
 *
 * @param {import('./server.mjs').PostgresServer} primary
 * @param {import('./server.mjs').ServerOptions} [options]
 * @returns {Promise<import('./server.mjs').PostgresServer>} `stop` leaves its data, which is beside that of the primary
 */
export async function startStandby(primary, options = {}) {
  const { port, username } = new URL(primary.url);
  const data = join(dirname(primary.data), 'standby');
  const source = `host=127.0.0.1 port=${port} user=${username} application_name=standby`;
  const copied = spawnSync(
    String(postgresProgram('pg_basebackup')),
    ['-D', data, '-d', source, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'],
    { ...unprivilegedUser(), cwd: dirname(primary.data), encoding: 'utf8' },
  );
  if (copied.status !== 0) throw new Error(`pg_basebackup failed: ${copied.stderr || String(copied.error)}`);
  return runPostgresServer(data, options);
}
