import { describe, expect, test } from 'vitest';
import { judgeAnswer } from './judge-answer.ts';

const NOW = Date.parse('2026-11-21T04:00:00Z');

describe('an answer of the target', () => {
  test.each([200, 201, 202, 204, 299])('%i is done', (status) => {
    expect(judgeAnswer(status, null, NOW)).toEqual({ status: 'delivered' });
  });

  test.each([400, 401, 404, 409, 410, 422])('%i is final', (status) => {
    expect(judgeAnswer(status, '1', NOW)).toEqual({
      status: 'refused',
      reason: `answered ${String(status)}`,
    });
  });

  test.each([301, 302, 304, 307, 308, 408, 425, 429, 500, 502, 503, 504])('%i may pass', (status) => {
    expect(judgeAnswer(status, null, NOW)).toMatchObject({ status: 'failed', afterMs: null });
  });

  test('a redirect is told as one', () => {
    expect(judgeAnswer(308, '3', NOW)).toEqual({
      status: 'failed',
      reason: 'answered 308: redirects are not followed',
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
    expect(judgeAnswer(503, header, NOW)).toMatchObject({ afterMs });
  });
});
