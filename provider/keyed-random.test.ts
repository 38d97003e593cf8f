import { expect, test } from 'vitest';
import { keyedRandom } from './keyed-random.ts';

test('a key has the same numbers, whatever was drawn for others', () => {
  const draw = () => Array.from({ length: 5 }, keyedRandom(7, 'a'));
  const first = draw();
  keyedRandom(7, 'b')();

  expect(draw()).toEqual(first);
});

test('numbers lie from 0 to below 1, evenly, for neighbouring keys too', () => {
  const numbers = Array.from({ length: 4_000 }, (_, index) => keyedRandom(7, `record:${String(index)}`)());

  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  for (let tenth = 0; tenth < 10; tenth += 1) {
    const share = numbers.filter((number) => Math.floor(number * 10) === tenth).length / numbers.length;
    expect(share).toBeGreaterThan(0.07);
    expect(share).toBeLessThan(0.13);
  }
});

test('neither neighbouring keys nor neighbouring seeds are alike', () => {
  const firsts = [0, 1, 2, 3].flatMap((seed) =>
    ['a1', 'a2', 'b1', ''].map((key) => keyedRandom(seed, key)()),
  );

  expect(new Set(firsts).size).toBe(firsts.length);
});
