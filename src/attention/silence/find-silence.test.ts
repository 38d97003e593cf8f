import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../kernel/random.ts';
import type { HourlyCount, ReceivedKind } from '../../store/monitoring.ts';
import { findSilences } from './find-silence.ts';
import { findHourPattern, type HourOfWeek } from './hour-pattern.ts';

const HOUR_MS = 3_600_000;
const DAY = 24;
const WEEK = 7 * DAY;

/** Hour 0 of the tests is a Sunday at midnight, in the zone of the tests. */
const sunday = Date.UTC(2026, 2, 1) / HOUR_MS;
const hourOfWeek: HourOfWeek = (hour) => (hour - sunday) % WEEK;
const isOffice = (slot: number) => {
  const [day, hour] = [Math.floor(slot / DAY), slot % DAY];
  return day >= 1 && day <= 5 && hour >= 8 && hour < 18;
};

interface Series {
  readonly weeks: number;
  /** Events in the hour, by its number from the start and its hour of the week. */
  readonly events: (hour: number, slot: number) => number;
  readonly kind?: string;
  /** The last event arrives in this hour from the start; by default in the last hour of the history. */
  readonly lastHour?: number;
}

function series({ weeks, events, kind = 'charge.updated', lastHour = weeks * WEEK - 1 }: Series) {
  const counts: HourlyCount[] = [];
  for (let hour = 0; hour <= lastHour; hour += 1) {
    const count = events(hour, hour % WEEK);
    if (count > 0) counts.push({ source: 'default', kind, hour: sunday + hour, events: count });
  }
  const last = counts.at(-1)?.hour ?? sunday;
  const received: ReceivedKind = {
    source: 'default',
    kind,
    recognized: true,
    events: counts.reduce((sum, one) => sum + one.events, 0),
    firstReceivedAt: sunday * HOUR_MS,
    lastReceivedAt: (last + 1) * HOUR_MS - 1,
  };
  return { counts, received };
}

/** Looks some hours after the last event. */
function silences({ counts, received }: ReturnType<typeof series>, hours: number) {
  return findSilences([received], counts, received.lastReceivedAt + hours * HOUR_MS, hourOfWeek);
}

const office = (weeks: number, perHour = 20) =>
  series({
    weeks,
    events: (_, slot) => (isOffice(slot) ? perHour : 0),
    // Friday, just before 15:00.
    lastHour: (weeks - 1) * WEEK + 5 * DAY + 14,
  });

describe('a source', () => {
  test('that is silent in its own busy hours is found, with what usually arrives', () => {
    const [silence, ...others] = silences(office(4), 2);
    expect(others).toEqual([]);
    expect(silence).toMatchObject({ source: 'default', kind: null });
    expect(silence?.expected).toBeGreaterThan(25);
    expect(silence?.expected).toBeLessThan(40);
  });

  test('is not silent at night and at weekends', () => {
    const friday = series({
      weeks: 4,
      events: (_, slot) => (isOffice(slot) ? 20 : 0),
      lastHour: 3 * WEEK + 5 * DAY + 17,
    });
    for (const hours of [1, 14, 30, 62]) expect(silences(friday, hours)).toEqual([]);
    expect(silences(friday, 65)).toHaveLength(1);
  });

  test('is judged by two checks, ten minutes apart', () => {
    const busy = series({ weeks: 4, events: () => 1_000 });
    expect(silences(busy, 10 / 60)).toEqual([]);
    expect(silences(busy, 12 / 60)).toHaveLength(1);
  });

  test.each([
    ['two weeks of history', office(2), 2],
    ['a hundred events', series({ weeks: 8, events: (hour) => (hour % 24 === 12 ? 1 : 0) }), 24 * 30],
  ])('without %s is not judged', (_, found, hours) => {
    expect(silences(found, hours)).toEqual([]);
  });

  test('whose events come in bursts may pause for longer', () => {
    // The same number of events: each hour five, or sixty at once in one hour of twelve, at no fixed time.
    const steady = series({ weeks: 6, events: () => 5 });
    const bursts = series({ weeks: 6, events: (hour) => ((hour * 7919) % 12 === 0 ? 60 : 0) });
    expect(silences(steady, 6)).toHaveLength(1);
    expect(silences(bursts, 6)).toEqual([]);
    expect(silences(bursts, 24 * 12)).toHaveLength(1);
  });

  test('that stays silent stays found', () => {
    for (const hours of [2, 20, 200, 2_000]) expect(silences(office(4), hours)).toHaveLength(1);
  });
});

test('a kind is silent while its source is not', () => {
  const weeks = 4;
  const now = (sunday + weeks * WEEK) * HOUR_MS;
  const alive = series({ weeks, events: () => 10, kind: 'charge.updated' });
  const silent = series({ weeks, events: () => 10, kind: 'company.updated', lastHour: weeks * WEEK - 12 });
  const received = [alive.received, silent.received];
  const counts = [...alive.counts, ...silent.counts].sort((one, other) => one.hour - other.hour);

  expect(findSilences(received, counts, now, hourOfWeek)).toMatchObject([{ kind: 'company.updated' }]);

  const later = now + 12 * HOUR_MS;
  expect(findSilences(received, counts, later, hourOfWeek)).toMatchObject([{ kind: null }]);
});

test('an hour of the week follows the clock on the wall through a change to summer time', () => {
  const zone = new Intl.DateTimeFormat('en-US', {
    timeZone: 'America/New_York',
    weekday: 'short',
    hour: 'numeric',
    hourCycle: 'h23',
  });
  const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
  const inNewYork: HourOfWeek = (hour) => {
    const parts = Object.fromEntries(
      zone.formatToParts(hour * HOUR_MS).map(({ type, value }) => [type, value]),
    );
    return days.indexOf(parts['weekday'] ?? '') * DAY + Number(parts['hour']);
  };
  const first = Date.UTC(2026, 1, 1) / HOUR_MS;
  const counts = Array.from({ length: 4 * WEEK }, (_, at) => first + at)
    .filter((hour) => inNewYork(hour) % DAY === 9)
    .map((hour) => ({ hour, events: 50 }));
  const pattern = findHourPattern(counts, { first, end: first + 4 * WEEK }, inNewYork);
  // After 8 March 2026, nine o'clock is 13:00 UTC, not 14:00 UTC.
  const at = (hour: number) => Date.UTC(2026, 2, 10, hour);
  expect(pattern?.expected(at(13), at(14))).toBeGreaterThan(30);
  expect(pattern?.expected(at(14), at(15))).toBe(0);
});

test('random arrivals at any steady rate are found silent at most once in a week', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(), (rate, seed) => {
      const random = seededRandom(seed);
      const arrivals: number[] = [];
      for (let at = 0; at < 5 * WEEK; at += -Math.log(1 - random()) / rate) arrivals.push(at);
      const inHours = Map.groupBy(arrivals, (at) => Math.floor(at));
      const { counts } = series({ weeks: 5, events: (hour) => inHours.get(hour)?.length ?? 0 });
      // Each pause of the last week, at its end. Shorter ones than these are too probable.
      const pauses = arrivals
        .slice(0, -1)
        .map((last, at) => ({ last, next: arrivals[at + 1] ?? last }))
        .filter(({ last, next }) => last >= 4 * WEEK && next - last > 6 / rate);
      const found = pauses.filter(({ last, next }) => {
        const received: ReceivedKind = {
          source: 'default',
          kind: 'charge.updated',
          recognized: true,
          events: 1,
          firstReceivedAt: sunday * HOUR_MS,
          lastReceivedAt: (sunday + last) * HOUR_MS,
        };
        return findSilences([received], counts, (sunday + next) * HOUR_MS, hourOfWeek).length > 0;
      });
      expect(found.length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 20 },
  );
});
