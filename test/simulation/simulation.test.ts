import { expect, test } from 'vitest';
import { runStory } from './run-story.ts';
import { drawStory } from './story.ts';

test.each([1, 2, 3])('the story of seed %i is the same twice, and keeps every promise', async (seed) => {
  const story = drawStory(seed, 80);

  const first = await runStory(seed, story);
  const second = await runStory(seed, story);

  expect(first.violation).toBeNull();
  expect(second.hash).toBe(first.hash);
});

test('stories of two seeds differ', async () => {
  const [one, other] = [await runStory(4, drawStory(4, 20)), await runStory(5, drawStory(5, 20))];

  expect(one.hash).not.toBe(other.hash);
});
