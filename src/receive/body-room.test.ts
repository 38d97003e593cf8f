import { expect, test } from 'vitest';
import { createBodyRoom, FREE_BYTES } from './body-room.ts';

test('short bodies need no room, and long ones what they have beyond that', () => {
  const room = createBodyRoom(100);

  expect(room.grow(0, FREE_BYTES + 60)).toBe(true);
  expect(room.grow(0, FREE_BYTES + 50)).toBe(false);
  expect(room.grow(0, FREE_BYTES)).toBe(true);
  expect(room.grow(0, FREE_BYTES + 40)).toBe(true);
  expect(room.grow(FREE_BYTES, FREE_BYTES + 1)).toBe(false);
});

test('what leaves makes room, and what shrinks, too', () => {
  const room = createBodyRoom(100);
  room.grow(0, FREE_BYTES + 100);

  room.leave(FREE_BYTES + 100);
  expect(room.grow(FREE_BYTES - 10, FREE_BYTES + 100)).toBe(true);
  expect(room.grow(FREE_BYTES + 100, FREE_BYTES + 30)).toBe(true);
  expect(room.grow(0, FREE_BYTES + 70)).toBe(true);
  expect(room.grow(0, FREE_BYTES + 1)).toBe(false);
});
