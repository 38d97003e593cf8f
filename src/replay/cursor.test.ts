import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCursor } from './cursor.ts';

test('the cursor stands before the first event that is still open', () => {
  const cursor = createCursor('e0');
  for (const id of ['e1', 'e2', 'e3']) cursor.take(id);
  cursor.settle('e2', true);
  expect(cursor.settled().at).toBe('e0');
  cursor.settle('e1', true);
  expect(cursor.settled().at).toBe('e2');
});

test('failures at the end can be left out, failures before a success cannot', () => {
  const cursor = createCursor(null);
  for (const id of ['e1', 'e2', 'e3', 'e4']) cursor.take(id);
  for (const [id, well] of [
    ['e1', false],
    ['e2', true],
    ['e3', false],
    ['e4', false],
  ] as const)
    cursor.settle(id, well);
  expect(cursor.settled()).toEqual({ at: 'e4', failed: ['e1', 'e3', 'e4'] });
  expect(cursor.beforeLastFailures()).toEqual({ at: 'e2', failed: ['e1'] });
});

test('in whatever order events end, none before the cursor is open', () => {
  const order = fc.integer({ min: 1, max: 30 }).chain((count) => {
    const ids = Array.from({ length: count }, (_, at) => at);
    return fc.tuple(fc.shuffledSubarray(ids), fc.constant(ids));
  });
  fc.assert(
    fc.property(order, ([ended, all]) => {
      const cursor = createCursor(null);
      for (const id of all) cursor.take(String(id));
      for (const id of ended) cursor.settle(String(id), true);
      const firstOpen = all.find((id) => !ended.includes(id)) ?? all.length;
      expect(cursor.settled().at).toBe(firstOpen === 0 ? null : String(firstOpen - 1));
    }),
  );
});
