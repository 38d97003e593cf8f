import { expect, test } from 'vitest';
import { inArrivalOrder } from './event-number.ts';

const order = (...numbers: readonly number[]) =>
  inArrivalOrder(numbers.map((number) => ({ id: `abc123-${String(number)}` }))).map(({ id }) => id.slice(7));

test('events are sorted by their numbers as numbers, not as strings', () => {
  expect(order(10, 9, 100)).toEqual(['9', '10', '100']);
});

test('a duplicate event is removed', () => {
  expect(order(2, 1, 2)).toEqual(['1', '2']);
});
