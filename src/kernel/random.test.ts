import { expect, it } from 'vitest';
import { seededRandom } from './random.ts';

it('returns the same numbers for the same seed, evenly spread in [0, 1)', () => {
  const draw = (seed: number): number[] => Array.from({ length: 1000 }, seededRandom(seed));
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  expect(draw(7).every((number) => number >= 0 && number < 1)).toBe(true);
  const mean = draw(7).reduce((sum, number) => sum + number) / 1000;
  expect(mean).toBeGreaterThan(0.45);
  expect(mean).toBeLessThan(0.55);
});
