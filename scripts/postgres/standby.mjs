/** Makes a standby of a PostgreSQL server. */
import { appendFileSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { unprivilegedUser } from './programs.mjs';
import { runPostgresServer } from './server.mjs';

/**
 * Crashes a server, starts it again, and starts a copy of it as a standby that follows it. Its name is `standby`: with
 * `synchronous_standby_names=standby`, the primary acknowledges a commit once it is on the disks of both.
 *
 * @param {import('./server.mjs').PostgresServer} primary
 * @param {import('./server.mjs').ServerOptions} [options]
 * @returns {Promise<import('./server.mjs').PostgresServer>} `stop` leaves its data, which is beside that of the primary
 */
export async function startStandby(primary, options = {}) {
  const data = join(dirname(primary.data), 'standby');
  await primary.crash();
  cpSync(primary.data, data, { recursive: true });
  rmSync(join(data, 'postmaster.pid'), { force: true });
  await primary.restart();
  const { port, username } = new URL(primary.url);
  const source = `host=127.0.0.1 port=${port} user=${username} application_name=standby`;
  appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  writeFileSync(join(data, 'standby.signal'), '');
  const user = unprivilegedUser();
  if (user !== undefined) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, data]);
  spawnSync('chmod', ['0700', data]);
  return runPostgresServer(data, options);
}
