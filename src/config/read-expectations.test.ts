import { expect, test } from 'vitest';
import { readExpectations } from './read-expectations.ts';

const HOUR_MS = 3_600_000;

test('reads kinds and wildcards with minutes, hours, days and weeks', () => {
  expect(readExpectations('charge.created=1d, company.*=6h,a.b=30m,own-kind=2w')).toEqual({
    problems: [],
    expected: [
      { pattern: 'charge.created', withinMs: 24 * HOUR_MS },
      { pattern: 'company.*', withinMs: 6 * HOUR_MS },
      { pattern: 'a.b', withinMs: HOUR_MS / 2 },
      { pattern: 'own-kind', withinMs: 14 * 24 * HOUR_MS },
    ],
  });
});

test('reports every mistake at once, each with its correction', () => {
  const { expected, problems } = readExpectations('charge.created,=1d,a b=1h,company.*=soon,x=0h,y=1h,y=2h');
  expect(expected).toEqual([]);
  expect(new Set(problems.map(({ where }) => where))).toEqual(new Set(['PORTARIA_EXPECT']));
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^"charge\.created" is not of the form kind=duration; write/),
    expect.stringMatching(/^"=1d" is not of the form/),
    expect.stringMatching(/^"a b=1h" has no valid kind; write/),
    expect.stringMatching(/^"company\.\*=soon" has no valid duration; write/),
    expect.stringMatching(/^"x=0h" has no valid duration/),
    expect.stringMatching(/^"y=2h" names a kind twice; keep one/),
  ]);
});
