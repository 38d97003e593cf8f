/** How stories of several processes are drawn and told, each in the same database. */
import type { StoryResult } from '../run-story.ts';
import type { Step } from '../story.ts';
import { drawPostgresStory } from './postgres-story.ts';
import { runPostgresStory } from './run-postgres-story.ts';
import type { PostgresPlace } from './start-postgres.ts';
import { openSimulationServer } from './world/postgres-database.ts';

export interface Stories {
  readonly draw: (seed: number, length: number) => readonly Step[];
  readonly run: (seed: number, steps: readonly Step[]) => Promise<StoryResult>;
}

export async function storiesOnPostgres({ url, receivers }: PostgresPlace): Promise<Stories> {
  const server = await openSimulationServer(url);
  return {
    // The steps of processes are passed through what knows those of one process alone.
    draw: (seed, length) => drawPostgresStory(seed, length) as readonly Step[],
    run: (seed, steps) => runPostgresStory(server, { seed, receivers }, steps),
  };
}
