import { beforeEach, describe, expect, test, vi } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import { momentParser } from './event-filter.ts';
import { parseRetention } from './values.ts';

describe('--since and --until in São Paulo', () => {
  const parse = momentParser(manualClock('2026-11-21T04:00:00Z'));

  beforeEach(() => {
    vi.stubEnv('TZ', 'America/Sao_Paulo');
  });

  test.each([
    ['90s', '2026-11-21T03:58:30.000Z'],
    ['15m', '2026-11-21T03:45:00.000Z'],
    ['2h', '2026-11-21T02:00:00.000Z'],
    ['3d', '2026-11-18T04:00:00.000Z'],
    ['1w', '2026-11-14T04:00:00.000Z'],
    ['1.5h', '2026-11-21T02:30:00.000Z'],
    ['2026-11-20', '2026-11-20T03:00:00.000Z'],
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:00.123456Z', '2026-11-20T10:00:00.123Z'],
    ['2026-11-20T10:00:00-03:00', '2026-11-20T13:00:00.000Z'],
    ['2026-11-20T10:00:00', '2026-11-20T13:00:00.000Z'],
    ['2026-11-20 10:00', '2026-11-20T13:00:00.000Z'],
    ['2026-11-20 23:30:01.5', '2026-11-21T02:30:01.500Z'],
    ['2026-11-20 10:00:00-03', '2026-11-20T13:00:00.000Z'],
    ['2026-11-20 10:00:00+05:30', '2026-11-20T04:30:00.000Z'],
    ['2026-11-20 10:00:00Z', '2026-11-20T10:00:00.000Z'],
  ])('parse %s as %s', (value, instant) => {
    expect(new Date(parse(value)).toISOString()).toBe(instant);
  });

  test.each([
    '',
    'yesterday',
    '15',
    'm',
    '-2h',
    '2026-02-30',
    '2026-02-30 10:00',
    '2026-11-20 24:00',
    '2026-11-20 10:60',
    '2026-13-01T00:00:00Z',
    '10:00',
    '2h ago',
  ])('reject %j with an example of an instant and of an age', (value) => {
    expect(() => parse(value)).toThrow(/2026-11-21.*15m/);
  });
});

describe('a retention period', () => {
  test.each([
    ['7d', 7 * 24 * 3_600_000],
    ['forever', null],
  ])('%s is %s ms', (value, ms) => {
    expect(parseRetention(value)).toBe(ms);
  });

  test.each(['', '-1d', '1.5h', ' 7d', '7s', 'Forever', '9999999d'])(
    '"%s" is rejected with an example',
    (value) => {
      expect(() => parseRetention(value)).toThrow('12h, 7d or 2w, or forever');
    },
  );
});
