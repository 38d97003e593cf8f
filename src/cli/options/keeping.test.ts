import { expect, test } from 'vitest';
import { parseKeeping } from './keeping.ts';

const HOUR_MS = 3_600_000;

test.each([
  ['90m', 1.5 * HOUR_MS],
  ['12h', 12 * HOUR_MS],
  ['7d', 7 * 24 * HOUR_MS],
  ['2w', 14 * 24 * HOUR_MS],
  ['0d', 0],
  ['forever', null],
])('%s is understood', (text, ms) => {
  expect(parseKeeping(text)).toBe(ms);
});

test.each(['', '7', 'd', '7y', '-1d', '1.5h', ' 7d', 'Forever', '9999999d'])(
  '"%s" is refused with an example',
  (text) => {
    expect(() => parseKeeping(text)).toThrow('12h, 7d or 2w, or forever');
  },
);
