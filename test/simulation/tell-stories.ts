/** A thread that tells stories, one for each message, and says what came of it. */
import { parentPort, workerData } from 'node:worker_threads';
import type { PostgresPlace } from './postgres/start-postgres.ts';
import { runStory, type StoryResult } from './run-story.ts';
import { shrink, storyAsTest } from './shrink.ts';
import { drawStory } from './story.ts';

export interface ToTell {
  readonly seed: number;
  readonly steps: number;
}

/** What came of a story. */
export interface Told extends Omit<StoryResult, 'violation'> {
  /** What to print of a story that broke a promise. */
  readonly failure: string | null;
}

export interface TellOptions {
  /** How long a story that broke a promise is shortened. */
  readonly shrinkMs: number;
  /** Null for stories on SQLite. */
  readonly postgres: PostgresPlace | null;
}

/** The simulation replaces the clock of the process. */
const clock = { now: performance.now.bind(performance) };

const { shrinkMs, postgres } = workerData as TellOptions;

/** PostgreSQL's client is loaded for stories on it. */
const stories =
  postgres === null
    ? Promise.resolve({ draw: drawStory, run: runStory })
    : import('./postgres/postgres-stories.ts').then(({ storiesOnPostgres }) => storiesOnPostgres(postgres));

async function tell({ seed, steps }: ToTell): Promise<Told> {
  const { draw, run } = await stories;
  const story = draw(seed, steps);
  const { violation, ...result } = await run(seed, story);
  if (violation === null) return { ...result, failure: null };
  const message = `seed ${String(seed)}, step ${String(result.at)}: ${violation.message}`;
  if (shrinkMs === 0) return { ...result, failure: message };
  const until = clock.now() + shrinkMs;
  const told = { steps: story, result: { ...result, violation } };
  const shortest = await shrink(seed, told, { run, isOver: () => clock.now() > until });
  const enough = `${String(shortest.steps.length)} steps are enough: ${shortest.result.violation?.message ?? ''}`;
  return {
    ...result,
    failure: `${message}\n${enough}\n\n${storyAsTest(seed, shortest, postgres?.receivers ?? null)}`,
  };
}

const port = parentPort;
port?.on('message', (story: ToTell) => {
  void tell(story).then((told) => {
    port.postMessage(told);
  });
});
