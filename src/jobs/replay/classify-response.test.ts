import { describe, expect, test } from 'vitest';
import { classifyResponse } from './classify-response.ts';

const GIVE_UP = [400, 409, 413, 415, 422];
const NOW = Date.parse('2026-11-21T04:00:00Z');

describe('a response of the target', () => {
  test.each([200, 201, 202, 204, 299])('%i is delivered', (status) => {
    expect(classifyResponse(status, null, NOW, GIVE_UP)).toEqual({ status: 'delivered' });
  });

  test.each(GIVE_UP)('%i is final', (status) => {
    expect(classifyResponse(status, '1', NOW, GIVE_UP)).toEqual({
      status: 'rejected',
      reason: `responded ${String(status)}`,
    });
  });

  test.each([301, 302, 304, 307, 308, 401, 403, 404, 408, 410, 425, 429, 431, 500, 502, 503, 504])(
    '%i may pass',
    (status) => {
      expect(classifyResponse(status, null, NOW, GIVE_UP)).toMatchObject({ status: 'failed', afterMs: null });
    },
  );

  test('any status that the settings list is final, and no other', () => {
    expect(classifyResponse(404, null, NOW, [404])).toMatchObject({ status: 'rejected' });
    expect(classifyResponse(422, null, NOW, [])).toMatchObject({ status: 'failed' });
  });

  test('a redirect is named in the reason', () => {
    expect(classifyResponse(308, '3', NOW, GIVE_UP)).toEqual({
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
    expect(classifyResponse(503, header, NOW, GIVE_UP)).toMatchObject({ afterMs });
  });
});
