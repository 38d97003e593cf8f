import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { manualClock, type ManualClock } from '../../testing/manual-clock.ts';
import { createThrottle, type Throttle } from './throttle.ts';

let clock: ManualClock;
let written: [item: string, times: number, at: number][];
let throttle: Throttle<string>;

beforeEach(() => {
  clock = manualClock();
  written = [];
  throttle = createThrottle({
    clock,
    write: (item, times) => written.push([item, times, clock.monotonic()]),
  });
});

describe('items of one kind', () => {
  test('writes the first at once, and counts of the others once a second', () => {
    throttle.add('rejected', 'a');
    for (let at = 0; at < 1_500; at += 100) {
      clock.advance(100);
      throttle.add('rejected', `b${String(at)}`);
    }
    clock.advance(10_000);

    expect(written).toEqual([
      ['a', 1, 0],
      ['b800', 9, 1_000],
      ['b1400', 6, 2_000],
    ]);
    expect(clock.untilNext).toBeNull();
  });

  test('writes an item at once again after a second without any', () => {
    throttle.add('rejected', 'a');
    clock.advance(1_000);
    throttle.add('rejected', 'b');

    expect(written).toEqual([
      ['a', 1, 0],
      ['b', 1, 1_000],
    ]);
  });
});

test('closing writes the pending counts; later items are written at once', () => {
  throttle.add('rejected', 'a');
  throttle.add('rejected', 'b');
  throttle.close();
  throttle.add('rejected', 'c');
  throttle.add('rejected', 'd');

  expect(written.map(([item, times]) => [item, times])).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 1],
    ['d', 1],
  ]);
  expect(clock.untilNext).toBeNull();
});

test('counts each item once, and writes one line a second and kind at most', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('x', 'y'), fc.nat({ max: 1_500 })), { maxLength: 60 }),
      (arrivals) => {
        clock = manualClock();
        written = [];
        throttle = createThrottle({
          clock,
          write: (item, times) => written.push([item, times, clock.monotonic()]),
        });
        for (const [kind, wait] of arrivals) {
          clock.advance(wait);
          throttle.add(kind, kind);
        }
        clock.advance(2_000);

        for (const kind of ['x', 'y']) {
          const lines = written.filter(([item]) => item === kind);
          const counted = lines.reduce((sum, [, times]) => sum + times, 0);
          expect(counted).toBe(arrivals.filter(([arrived]) => arrived === kind).length);
          for (const [index, [, , at]] of lines.entries())
            expect(at - (lines[index - 1]?.[2] ?? -1_000)).toBeGreaterThanOrEqual(1_000);
        }
      },
    ),
  );
});
