import { readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgresServer } from '../../scripts/postgres/server.mjs';
import { queryOnce } from './query-once.mjs';

/**
 * @typedef {object} Postgres
 * @property {string} address of its first database
 * @property {number} pid
 * @property {() => Promise<string>} database creates an empty database and returns its address
 * @property {() => Promise<void>} stop
 */

/**
 * Starts PostgreSQL with its defaults (fsync on). Fetches it if this machine has none, and rejects if that fails.
 *
 * @param {import('../lifetime/supervisor.mjs').Supervisor} supervisor
 * @param {readonly string[]} [settings]
 * @returns {Promise<Postgres>}
 */
export async function startPostgres(supervisor, settings = []) {
  // Its own user has to reach its folder.
  await chmod(supervisor.root, 0o711);
  const server = await startPostgresServer({
    folder: await supervisor.folder('postgres'),
    start: supervisor.start,
    settings,
  });
  let databases = 0;
  return {
    address: server.url,
    pid: Number(readFileSync(join(server.data, 'postmaster.pid'), 'utf8').split('\n')[0]),
    async database() {
      const name = `bench_${String((databases += 1))}`;
      await queryOnce(server.url, `create database ${name}`);
      const address = new URL(server.url);
      address.pathname = name;
      return address.href;
    },
    stop: server.stop,
  };
}
