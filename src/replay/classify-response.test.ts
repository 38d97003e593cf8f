import { describe, expect, test } from 'vitest';
import { classifyResponse } from './classify-response.ts';

const NOW = Date.parse('2026-11-21T04:00:00Z');

describe('a response of the target', () => {
  test.each([200, 201, 202, 204, 299])('%i is delivered', (status) => {
    expect(classifyResponse(status, null, NOW)).toEqual({ status: 'delivered' });
  });

  test.each([400, 401, 404, 409, 410, 422])('%i is final', (status) => {
    expect(classifyResponse(status, '1', NOW)).toEqual({
      status: 'rejected',
      reason: `responded ${String(status)}`,
    });
  });

  test.each([301, 302, 304, 307, 308, 408, 425, 429, 500, 502, 503, 504])('%i may pass', (status) => {
    expect(classifyResponse(status, null, NOW)).toMatchObject({ status: 'failed', afterMs: null });
  });

  test('a redirect is named in the reason', () => {
    expect(classifyResponse(308, '3', NOW)).toEqual({
      status: 'failed',
      reason: 'responded 308: redirects are not followed',
      afterMs: null,
    });
  });

  test.each([
    ['3', 3000],
    [' 0 ', 0],
    ['Sat, 21 Nov 2026 04:00:05 GMT', 5000],
    ['Sat, 21 Nov 2026 03:00:00 GMT', 0],
    ['86400', 300_000],
    ['Sun, 22 Nov 2026 04:00:00 GMT', 300_000],
    ['soon', null],
    ['-5', null],
  ])('Retry-After: %s waits %j ms', (header, afterMs) => {
    expect(classifyResponse(503, header, NOW)).toMatchObject({ afterMs });
  });
});
