import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

const policy = { attempts: 10, baseMs: 1_000, maxMs: 60_000 };
const highest = () => 1 - Number.EPSILON;

test('the ceiling doubles with each attempt up to the maximum', () => {
  const ceilings = [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => backoffMs(policy, attempt, highest));
  expect(ceilings).toEqual([999, 1_999, 3_999, 7_999, 15_999, 31_999, 59_999, 59_999]);
});

test('full jitter: a wait is anything from 0 to the ceiling', () => {
  expect(backoffMs(policy, 3, () => 0)).toBe(0);
  expect(backoffMs(policy, 3, () => 0.5)).toBe(2_000);
});

test('every wait is a whole number between 0 and the maximum', () => {
  const attempt = fc.integer({ min: 1, max: 2 ** 31 });
  const milliseconds = fc.integer({ min: 0, max: 2 ** 40 });
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(attempt, milliseconds, milliseconds, random, (n, baseMs, maxMs, drawn) => {
      const wait = backoffMs({ attempts: n, baseMs, maxMs }, n, () => drawn);
      expect(Number.isInteger(wait)).toBe(true);
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThanOrEqual(maxMs);
    }),
  );
});
