import { expect, test } from 'vitest';
import { createBodyMemory, FREE_BODY_BYTES } from './read-body.ts';

test('a short body takes none of the shared memory, a long one what exceeds a short body', () => {
  const memory = createBodyMemory(100);

  expect(memory.resize(0, FREE_BODY_BYTES + 60)).toBe(true);
  expect(memory.resize(0, FREE_BODY_BYTES + 50)).toBe(false);
  expect(memory.resize(0, FREE_BODY_BYTES)).toBe(true);
  expect(memory.resize(0, FREE_BODY_BYTES + 40)).toBe(true);
  expect(memory.resize(FREE_BODY_BYTES, FREE_BODY_BYTES + 1)).toBe(false);
});

test('a body that is released or shrinks leaves its memory to others', () => {
  const memory = createBodyMemory(100);
  memory.resize(0, FREE_BODY_BYTES + 100);

  memory.release(FREE_BODY_BYTES + 100);
  expect(memory.resize(FREE_BODY_BYTES - 10, FREE_BODY_BYTES + 100)).toBe(true);
  expect(memory.resize(FREE_BODY_BYTES + 100, FREE_BODY_BYTES + 30)).toBe(true);
  expect(memory.resize(0, FREE_BODY_BYTES + 70)).toBe(true);
  expect(memory.resize(0, FREE_BODY_BYTES + 1)).toBe(false);
});
