import { expect, test } from 'vitest';
import { parseDuration, parsePeriod } from './durations.ts';

test.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['1.5h', 5_400_000],
  ['3d', 259_200_000],
  ['1w', 604_800_000],
  ['0.001s', 1],
  ['999999w', 999_999 * 604_800_000],
])('%s is a duration', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(['', '5', 'm', '-5m', '5 m', '5M', '1y', '.5h', '1.h', '1.5.5h', '1000000m', '1e3m', '5mm'])(
  '%j is no duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
    expect(parsePeriod(text)).toBeUndefined();
  },
);

test('a period is a whole number of minutes or more', () => {
  expect(['90m', '12h', '7d', '2w', '0m'].map(parsePeriod)).toEqual([
    5_400_000, 43_200_000, 604_800_000, 1_209_600_000, 0,
  ]);
  expect(['90s', '1.5h'].map(parsePeriod)).toEqual([undefined, undefined]);
});
