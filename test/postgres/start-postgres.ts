import type { TestProject } from 'vitest/node';
import { needsPostgres } from '../../scripts/postgres/programs.mjs';
import { startPostgresServer } from '../../scripts/postgres/server.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a PostgreSQL server on which tests create databases; '' without one. */
    postgresUrl: string;
  }
}

/** Starts one server for all files of the project. Its data may be lost with the machine: tests end processes, not the machine. */
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['PORTARIA_TEST_POSTGRES'];
  if (given !== undefined) {
    project.provide('postgresUrl', given);
    return async () => undefined;
  }
  const missing = needsPostgres();
  if (missing !== undefined) {
    if (process.env['PORTARIA_FORBID_SKIPS'] === '1') throw new Error(`skips are forbidden: ${missing}`);
    project.provide('postgresUrl', '');
    return async () => undefined;
  }
  const server = await startPostgresServer({
    settings: ['fsync=off', 'full_page_writes=off', 'max_connections=300', 'shared_buffers=256MB'],
  });
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
