import { expect, test } from 'vitest';
import { addDays, brazilianDay } from './brazilian-day.ts';

test.each([
  ['2026-03-10T02:59:59.999Z', '2026-03-09'],
  ['2026-03-10T03:00:00.000Z', '2026-03-10'],
  ['2026-12-31T23:59:59.999Z', '2026-12-31'],
  ['2027-01-01T02:59:59.999Z', '2026-12-31'],
  // Summer time, until 2019: the day began an hour earlier in UTC.
  ['2018-12-10T02:30:00.000Z', '2018-12-10'],
])('%s is on %s in Brazil', (instant, day) => {
  expect(brazilianDay(Date.parse(instant))).toBe(day);
});

test.each([
  ['2026-02-27', 2, '2026-03-01'],
  ['2028-02-27', 2, '2028-02-29'],
  ['2026-01-01', -1, '2025-12-31'],
  ['2026-03-10', 0, '2026-03-10'],
])('%s plus %i days is %s', (day, count, expected) => {
  expect(addDays(day, count)).toBe(expected);
});
