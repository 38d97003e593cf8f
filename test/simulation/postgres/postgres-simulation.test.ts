import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { drawPostgresStory } from './postgres-story.ts';
import { runPostgresStory } from './run-postgres-story.ts';
import { openSimulationServer } from './world/postgres-database.ts';
import type { SimulationServer } from './world/postgres-world.ts';

let server: SimulationServer;

beforeAll(async () => {
  if (inject('postgresUrl') !== '') server = await openSimulationServer(inject('postgresUrl'));
});

afterAll(async () => {
  if (inject('postgresUrl') !== '') await server.close();
});

test.each([
  [1, 2],
  [2, 2],
  [3, 3],
])('the story of seed %i with %i processes keeps every promise', async (seed, receivers) => {
  const { violation } = await runPostgresStory(server, { seed, receivers }, drawPostgresStory(seed, 60));

  expect(violation).toBeNull();
});

test('the story of a seed is the same twice', async () => {
  const story = drawPostgresStory(4, 30);

  const first = await runPostgresStory(server, { seed: 4, receivers: 2 }, story);
  const second = await runPostgresStory(server, { seed: 4, receivers: 2 }, story);

  expect(second.hash).toBe(first.hash);
});
