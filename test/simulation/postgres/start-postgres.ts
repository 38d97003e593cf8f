/** Starts PostgreSQL for stories. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgresServer } from '../../../scripts/postgres/server.mjs';
import { roomInMemory } from '../../support/room-in-memory.ts';

/** Where stories find it, and how many processes they have. */
export interface PostgresPlace {
  readonly url: string;
  readonly receivers: number;
}

/** What it stores may be lost with the machine. */
export async function startSimulationPostgres(receivers: number): Promise<{
  readonly place: PostgresPlace;
  readonly stop: () => Promise<void>;
}> {
  const folder = mkdtempSync(join(roomInMemory() ?? tmpdir(), 'portaria-simulation-'));
  const settings = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'max_connections=200'];
  const server = await startPostgresServer({ folder, settings });
  return {
    place: { url: server.url, receivers },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
