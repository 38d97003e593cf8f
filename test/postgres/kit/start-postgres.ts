import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { askedVersion, preparePostgres } from '../../../scripts/postgres/programs.mjs';
import { startPostgresServer } from '../../../scripts/postgres/server.mjs';
import { roomInMemory } from '../../support/room-in-memory.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a PostgreSQL server on which tests create databases; '' without one. */
    postgresUrl: string;
  }
}

/** Starts one server for all files of the project. Its data may be lost with the machine: tests end processes, not the machine. */
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['PORTARIA_TEST_POSTGRES'];
  if (given !== undefined && given !== 'off' && askedVersion() === undefined) {
    await checkGiven(given);
    project.provide('postgresUrl', given);
    return async () => undefined;
  }
  const missing = await preparePostgres();
  if (missing !== undefined) {
    if (process.env['PORTARIA_FORBID_SKIPS'] === '1') throw new Error(`skips are forbidden: ${missing}`);
    const other = given === 'off' ? '' : ', or set PORTARIA_TEST_POSTGRES to the address of a server';
    process.stderr.write(`the tests on PostgreSQL are skipped: ${missing}${other}\n`);
    project.provide('postgresUrl', '');
    return async () => undefined;
  }
  const folder = mkdtempSync(join(roomInMemory() ?? tmpdir(), 'portaria-postgres-'));
  const server = await startPostgresServer({
    folder,
    settings: ['fsync=off', 'full_page_writes=off', 'max_connections=300', 'shared_buffers=256MB'],
  });
  project.provide('postgresUrl', server.url);
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Says once what is wrong with the given server, instead of in each test. */
async function checkGiven(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query('select rolsuper from pg_roles where rolname = current_user');
    if (rows[0]?.rolsuper !== true) throw new Error('its user is no superuser');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `PORTARIA_TEST_POSTGRES must be the address of a running server and a superuser: ${reason}`,
      {
        cause: error,
      },
    );
  } finally {
    await client.end();
  }
}
