import { describe, expect, test } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import { momentParser } from './moment.ts';

const parse = momentParser(manualClock('2026-11-21T04:00:00Z'));

describe('--since and --until', () => {
  test.each([
    ['90s', '2026-11-21T03:58:30.000Z'],
    ['15m', '2026-11-21T03:45:00.000Z'],
    ['2h', '2026-11-21T02:00:00.000Z'],
    ['3d', '2026-11-18T04:00:00.000Z'],
    ['1w', '2026-11-14T04:00:00.000Z'],
    ['1.5h', '2026-11-21T02:30:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:00.123456Z', '2026-11-20T10:00:00.123Z'],
    ['2026-11-20T10:00:00-03:00', '2026-11-20T13:00:00.000Z'],
    ['2026-11-20T10:00:00', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20 10:00:00Z', '2026-11-20T10:00:00.000Z'],
  ])('%s is %s', (text, instant) => {
    expect(new Date(parse(text)).toISOString()).toBe(instant);
  });

  test.each(['', 'yesterday', '15', 'm', '-2h', '2026-02-30', '2026-13-01T00:00:00Z', '10:00', '2h ago'])(
    '%j is refused with both ways to write it',
    (text) => {
      expect(() => parse(text)).toThrow(/2026-11-21.*15m/);
    },
  );
});
