/** Finds a shorter story that breaks the same promise. */
import { runStory, type StoryResult } from './run-story.ts';
import type { Step } from './story.ts';

export interface Shrunk {
  readonly steps: readonly Step[];
  readonly result: StoryResult;
}

/** Leaves out runs of steps, long ones first, until no step can be left out, or `isOver`. */
export async function shrink(
  seed: number,
  steps: readonly Step[],
  result: StoryResult,
  isOver: () => boolean,
): Promise<Shrunk> {
  let shortest: Shrunk = { steps, result };

  async function attempt(fewer: readonly Step[]): Promise<boolean> {
    if (fewer.length >= shortest.steps.length) return false;
    const found = await runStory(seed, fewer);
    if (found.violation?.promise !== result.violation?.promise) return false;
    shortest = { steps: fewer, result: found };
    return true;
  }

  await attempt(steps.slice(0, result.at + 1));
  for (let length = Math.ceil(shortest.steps.length / 2); length >= 1 && !isOver();) {
    let didShrink = false;
    for (let from = 0; from < shortest.steps.length && !isOver();) {
      const fewer = [...shortest.steps.slice(0, from), ...shortest.steps.slice(from + length)];
      if (await attempt(fewer)) didShrink = true;
      else from += length;
    }
    if (length === 1 && !didShrink) break;
    length = length === 1 ? 1 : Math.ceil(length / 2);
  }
  return shortest;
}

/** The story as a test, to be pasted into a file of test/simulation. */
export function storyAsTest(seed: number, { steps, result }: Shrunk): string {
  const lines = steps.map((step) => `    ${JSON.stringify(step)},`);
  return [
    `test('${(result.violation?.promise ?? 'a promise').replaceAll("'", '')}, by the story of seed ${String(seed)}', async () => {`,
    `  const { violation } = await runStory(${String(seed)}, [`,
    ...lines,
    '  ]);',
    '  expect(violation).toBeNull();',
    '});',
  ].join('\n');
}
