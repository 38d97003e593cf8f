import { expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const now = Date.UTC(2026, 10, 9, 12);

it.each([
  ['7', 7000],
  [' 7 ', 7000],
  ['0', 1000],
  ['3600', 3_600_000],
  ['999999999', 3_600_000],
  ['9'.repeat(400), 3_600_000],
  [new Date(now + 90_000).toUTCString(), 90_000],
  [new Date(now - 90_000).toUTCString(), 1000],
  ['Sunday, 09-Nov-36 12:00:00 GMT', 3_600_000],
])('%s is a wait, from a second to an hour', (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms);
});

it.each([null, '', 'soon', '-1', '1.5', '2027-01-01', 'Sun, 99 Xyz'])('%s is none', (header) => {
  expect(retryAfterMs(header, now)).toBeNull();
});
