import { expect, test } from 'vitest';
import { violated } from './checker/violation.ts';
import type { StoryResult } from './run-story.ts';
import { shrink, storyAsTest } from './shrink.ts';
import type { Sending, Step } from './story.ts';

const sent = (subject: number): Sending => {
  return { source: 'default', record: 'charge', subject, content: 0, message: null, form: 'plain' };
};

const passed: StoryResult = {
  ...{ hash: '', violation: null, at: 0, webhooks: 0, attempts: 0, commands: 0, faults: 0, simulatedMs: 0 },
  reached: new Map(),
};

/** A promise that breaks at a jump after a webhook of subject 7. */
async function breaking(_seed: number, steps: readonly Step[]): Promise<StoryResult> {
  const first = steps.findIndex(
    (step) => step.do === 'flood' && step.sent.some(({ subject }) => subject === 7),
  );
  const at = steps.findIndex((step, place) => first >= 0 && place > first && step.do === 'jump');
  const violation = at < 0 ? null : violated('fold', 'broken');
  return Promise.resolve({ ...passed, violation, at });
}

test('of a long story, the steps and webhooks that break a promise are left', async () => {
  const steps: Step[] = Array.from({ length: 300 }, (_, ms) => ({ do: 'pass', ms }));
  steps[77] = { do: 'flood', sent: [1, 7, 2, 3].map(sent) };
  steps[201] = { do: 'jump', ms: 5 };
  steps[202] = { do: 'jump', ms: 6 };
  let stories = 0;
  const run: typeof breaking = (seed, fewer) => {
    stories += 1;
    return breaking(seed, fewer);
  };

  const result = await breaking(1, steps);
  const shortest = await shrink(1, { steps, result }, { run, isOver: () => false });

  expect(shortest.steps).toEqual([
    { do: 'flood', sent: [sent(7)] },
    { do: 'jump', ms: 5 },
  ]);
  expect(stories).toBeLessThan(60);
});

test('a story is a test that names its promise and has its steps', () => {
  const result = { ...passed, violation: violated('fold', 'broken') };

  const text = storyAsTest(5, { steps: [{ do: 'pass', ms: 10 }], result }, null);

  expect(text).toContain("test('fold, by the story of seed 5'");
  expect(text).toContain('runStory(5, [\n    {"do":"pass","ms":10},\n  ])');
});
