import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCursor } from './cursor.ts';

test('the position is before the first event that has not ended', () => {
  const cursor = createCursor('e0');
  for (const id of ['e1', 'e2', 'e3']) cursor.begin(id);
  cursor.end('e2', 'succeeded');
  expect(cursor.position().at).toBe('e0');
  cursor.end('e1', 'succeeded');
  expect(cursor.position().at).toBe('e2');
});

test('trailing failures can be left out, failures before a success cannot', () => {
  const cursor = createCursor(null);
  for (const id of ['e1', 'e2', 'e3', 'e4']) cursor.begin(id);
  for (const [id, how] of [
    ['e1', 'dead'],
    ['e2', 'succeeded'],
    ['e3', 'dead'],
    ['e4', 'dead'],
  ] as const)
    cursor.end(id, how);
  expect(cursor.position()).toEqual({
    at: 'e4',
    failed: ['e1', 'e3', 'e4'],
    sent: { succeeded: 1, dead: 3, skipped: 0 },
  });
  expect(cursor.beforeLastFailures()).toEqual({
    at: 'e2',
    failed: ['e1'],
    sent: { succeeded: 1, dead: 1, skipped: 0 },
  });
});

test('for any order of ends, all events before the position have ended', () => {
  const order = fc.integer({ min: 1, max: 30 }).chain((count) => {
    const ids = Array.from({ length: count }, (_, at) => at);
    return fc.tuple(fc.shuffledSubarray(ids), fc.constant(ids));
  });
  fc.assert(
    fc.property(order, ([ended, all]) => {
      const cursor = createCursor(null);
      for (const id of all) cursor.begin(String(id));
      for (const id of ended) cursor.end(String(id), 'succeeded');
      const firstOpen = all.find((id) => !ended.includes(id)) ?? all.length;
      expect(cursor.position().at).toBe(firstOpen === 0 ? null : String(firstOpen - 1));
      // What is counted is exactly what a resumed run does not send again.
      expect(cursor.position().sent).toEqual({ succeeded: firstOpen, dead: 0, skipped: 0 });
    }),
  );
});
