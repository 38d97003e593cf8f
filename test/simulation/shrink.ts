/** Finds a shorter story that breaks the same promise. */
import type { runStory, StoryResult } from './run-story.ts';
import type { Step } from './story.ts';

export interface Shrunk {
  readonly steps: readonly Step[];
  readonly result: StoryResult;
}

interface ShrinkOptions {
  readonly run: typeof runStory;
  readonly isOver: () => boolean;
}

/**
 * Leaves out runs of steps, long ones first, and then webhooks of floods, until nothing can be left out, or `isOver`.
 * What comes after the step that breaks the promise goes each time.
 */
export async function shrink(seed: number, story: Shrunk, { run, isOver }: ShrinkOptions): Promise<Shrunk> {
  const promise = story.result.violation?.promise;
  let shortest = story;

  async function attempt(steps: readonly Step[]): Promise<boolean> {
    const result = await run(seed, steps);
    if (result.violation?.promise !== promise) return false;
    shortest = { steps: steps.slice(0, result.at + 1), result };
    return true;
  }

  /** The last runs first: what they leave out costs the least, and often hides nothing. */
  async function leaveOutRuns(length: number): Promise<boolean> {
    let didShrink = false;
    for (let end = shortest.steps.length; end > 0 && !isOver();) {
      const from = Math.max(0, end - length);
      const fewer = [...shortest.steps.slice(0, from), ...shortest.steps.slice(end)];
      if (await attempt(fewer)) didShrink = true;
      end = Math.min(from, shortest.steps.length);
    }
    return didShrink;
  }

  async function leaveOutWebhooks(): Promise<boolean> {
    let didShrink = false;
    for (let at = 0; at < shortest.steps.length; at += 1)
      for (let webhook = 0; !isOver();) {
        const step = shortest.steps[at];
        if (step?.do !== 'flood' || webhook >= step.sent.length) break;
        const sent = step.sent.toSpliced(webhook, 1);
        if (await attempt(shortest.steps.with(at, { do: 'flood', sent }))) didShrink = true;
        else webhook += 1;
      }
    return didShrink;
  }

  shortest = { ...story, steps: story.steps.slice(0, story.result.at + 1) };
  for (let length = Math.ceil(shortest.steps.length / 2); length > 1; length = Math.ceil(length / 2))
    await leaveOutRuns(Math.min(length, shortest.steps.length));
  while ((await leaveOutRuns(1)) || (await leaveOutWebhooks()));
  return shortest;
}

/**
 * The story as a test file: of `test/` or, with several receivers, of `test/simulation/postgres/`.
 *
 * @param receivers null for SQLite
 */
export function storyAsTest(seed: number, { steps, result }: Shrunk, receivers: number | null): string {
  const promise = (result.violation?.promise ?? 'a promise').replaceAll("'", '');
  const head = (open: string): string => `test('${promise}, by the story of seed ${String(seed)}', ${open}`;
  const onSqlite = [
    `import { expect, test } from 'vitest';`,
    `import { runStory } from './simulation/run-story.ts';`,
    '',
    head('async () => {'),
    `  const { violation } = await runStory(${String(seed)}, [`,
  ];
  const onPostgres = [
    `import { expect, inject, test } from 'vitest';`,
    `import { runPostgresStory } from './run-postgres-story.ts';`,
    `import { openSimulationServer } from './world/postgres-database.ts';`,
    '',
    head('async () => {'),
    `  const server = await openSimulationServer(inject('postgresUrl'));`,
    `  const how = { seed: ${String(seed)}, receivers: ${String(receivers)} };`,
    `  const { violation } = await runPostgresStory(server, how, [`,
  ];
  return [
    ...(receivers === null ? onSqlite : onPostgres),
    ...steps.map((step) => `    ${JSON.stringify(step)},`),
    '  ]);',
    ...(receivers === null ? [] : ['  await server.close();']),
    '',
    '  expect(violation).toBeNull();',
    '});',
  ].join('\n');
}
