import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_RETRY_AFTER_MS, retryAfterMs } from './retry-after.ts';

const NOW = Date.UTC(2026, 10, 9, 12);

describe('a Retry-After header', () => {
  test.each([
    ['0', 0],
    ['7', 7000],
    [' 7 ', 7000],
    ['300', 300_000],
    [new Date(NOW + 90_000).toUTCString(), 90_000],
    [new Date(NOW - 90_000).toUTCString(), 0],
    ['Mon, 09 Nov 2026 12:00:05 GMT', 5000],
    ['Monday, 09-Nov-26 12:00:05 GMT', 5000],
    ['Mon Nov  9 12:00:05 2026', 5000],
  ])('of %j is a wait of %i ms', (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });

  test.each(['301', '86400', '9'.repeat(400), new Date(NOW + 86_400_000).toUTCString()])(
    'of %j is cut to five minutes, or to the maximum of the caller',
    (header) => {
      expect(retryAfterMs(header, NOW)).toBe(MAX_RETRY_AFTER_MS);
      expect(retryAfterMs(header, NOW, 2000)).toBe(2000);
    },
  );

  test.each([
    null,
    undefined,
    '',
    'soon',
    '-1',
    '1.5',
    '1e3',
    '5, 10',
    '2027-01-01',
    '2027-01-01T00:00:00Z',
    'Mon 5',
    'Mon, 99 Xyz 2026 12:00:00 GMT',
    'Mon, 09 Nov 2026 12:00:05 +0100',
  ])('of %j is ignored', (header) => {
    expect(retryAfterMs(header, NOW)).toBeNull();
  });

  test('of any value is a wait within the bounds or none', () => {
    const date = fc
      .tuple(fc.constantFrom('Mon, ', 'Mon ', 'Monday, '), fc.string(), fc.constantFrom(' GMT', ' 2026', ''))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer().map(String), date), fc.nat(), (header, maxMs) => {
        const ms = retryAfterMs(header, NOW, maxMs) ?? 0;
        expect(ms >= 0 && ms <= maxMs).toBe(true);
      }),
    );
  });
});
