import { expect, test } from 'vitest';
import { runStory } from './run-story.ts';
import { handlerNames } from './actors/names.ts';
import { drawStory, USUAL, type Sending, type Step } from './story.ts';

test.each([1, 2, 3])('the story of seed %i is the same twice, and keeps every promise', async (seed) => {
  const story = drawStory(seed, 80);

  const first = await runStory(seed, story);
  const second = await runStory(seed, story);

  expect(first.violation).toBeNull();
  expect(second.hash).toBe(first.hash);
});

test('where the clock was set back, the newest event runs, and not one that is released before it', async () => {
  const charge = (content: number, form: Sending['form']): Step => {
    const sent = { source: 'default', record: 'charge', subject: 0, content, message: null, form } as const;
    return { do: 'send', sent };
  };
  const index = handlerNames.indexOf('index');
  const { violation } = await runStory(2, [
    charge(1, 'unknown-value'),
    { do: 'jump', ms: -3_600_000 },
    { do: 'restart', graceMs: 50, ...USUAL, acceptsUnknown: true },
    { do: 'pause', scope: 0, handler: index, subject: 0, ms: null, beside: false },
    { do: 'release', beside: false },
    charge(2, 'plain'),
    { do: 'resume', which: 0, beside: false },
    { do: 'pass', ms: 1_000 },
  ]);

  expect(violation).toBeNull();
});

test('stories of two seeds differ', async () => {
  const [one, other] = [await runStory(4, drawStory(4, 20)), await runStory(5, drawStory(5, 20))];

  expect(one.hash).not.toBe(other.hash);
});
