import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { momentParser } from '../options/event-filter.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { localTime, readLocalTime } from './local-time.ts';

const INSTANT = Date.parse('2026-11-21T04:01:07.890Z');

describe('a time for people', () => {
  test.each([
    ['UTC', '2026-11-21 04:01:07Z'],
    ['America/Sao_Paulo', '2026-11-21 01:01:07-03'],
    ['America/Noronha', '2026-11-21 02:01:07-02'],
    ['America/Rio_Branco', '2026-11-20 23:01:07-05'],
    ['Asia/Kolkata', '2026-11-21 09:31:07+05:30'],
  ])('in %s is %s', (zone, text) => {
    vi.stubEnv('TZ', zone);
    expect(localTime(INSTANT)).toBe(text);
  });

  test.each(['UTC', 'America/Sao_Paulo', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'])(
    'in %s is read back as the same second, also around a change of the offset',
    (zone) => {
      vi.stubEnv('TZ', zone);
      const parse = momentParser(systemClock);
      const seconds = fc.integer({ min: 0, max: 4_102_444_800 });
      fc.assert(
        fc.property(seconds, (second) => {
          expect(parse(localTime(second * 1000))).toBe(second * 1000);
        }),
      );
    },
  );

  test.each(['0000-01-01', '0099-12-31 10:00', '2026-13-01', '2026-02-30', '2026-02-01 24:00'])(
    'rejects %s, which does not exist or is read as another year',
    (text) => {
      expect(readLocalTime(text)).toBeNull();
      expect(() => momentParser(systemClock)(text)).toThrow(/Write a local time/);
    },
  );

  test.each([
    ['America/New_York', '2026-03-08 02:30'],
    ['America/Sao_Paulo', '2018-11-04'],
    ['Australia/Lord_Howe', '2026-10-04 02:15'],
  ])('in %s rejects %s, which the clock skipped', (zone, text) => {
    vi.stubEnv('TZ', zone);
    expect(readLocalTime(text)).toBeNull();
    expect(() => momentParser(systemClock)(text)).toThrow(/clock.* forward.*zone/);
  });

  test('without an offset is read as local', () => {
    vi.stubEnv('TZ', 'America/Sao_Paulo');
    expect(readLocalTime('2026-11-21')).toBe(Date.parse('2026-11-21T03:00:00Z'));
    expect(readLocalTime('2026-11-21 01:01:07.89')).toBe(INSTANT);
    expect(readLocalTime('2026-11-21T01:01:07Z')).toBeNull();
  });
});
