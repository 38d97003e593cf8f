/** A thread that tells stories, one for each message, and says what came of it. */
import { parentPort, workerData } from 'node:worker_threads';
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

/** The simulation replaces the clock of the process. */
const clock = { now: performance.now.bind(performance) };

async function tell({ seed, steps }: ToTell, shrinkMs: number): Promise<Told> {
  const story = drawStory(seed, steps);
  const { violation, ...result } = await runStory(seed, story);
  if (violation === null) return { ...result, failure: null };
  const message = `seed ${String(seed)}, step ${String(result.at)}: ${violation.message}`;
  if (shrinkMs === 0) return { ...result, failure: message };
  const until = clock.now() + shrinkMs;
  const told = { steps: story, result: { ...result, violation } };
  const shortest = await shrink(seed, told, { run: runStory, isOver: () => clock.now() > until });
  const enough = `${String(shortest.steps.length)} steps are enough: ${shortest.result.violation?.message ?? ''}`;
  return { ...result, failure: `${message}\n${enough}\n\n${storyAsTest(seed, shortest)}` };
}

const port = parentPort;
port?.on('message', (story: ToTell) => {
  void tell(story, workerData as number).then((told) => {
    port.postMessage(told);
  });
});
