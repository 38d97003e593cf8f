import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { manualClock, type ManualClock } from '../../testing/manual-clock.ts';
import { createBursts, type Bursts } from './bursts.ts';

let clock: ManualClock;
let written: [item: string, times: number, at: number][];
let bursts: Bursts<string>;

beforeEach(() => {
  clock = manualClock();
  written = [];
  bursts = createBursts({
    clock,
    write: (item, times) => written.push([item, times, clock.monotonic()]),
  });
});

describe('items of one kind', () => {
  test('the first is written at once, the others are counted once a second, until a second has none', () => {
    bursts.add('refused', 'a');
    for (let at = 0; at < 1_500; at += 100) {
      clock.advance(100);
      bursts.add('refused', `b${String(at)}`);
    }
    clock.advance(10_000);

    expect(written).toEqual([
      ['a', 1, 0],
      ['b800', 9, 1_000],
      ['b1400', 6, 2_000],
    ]);
    expect(clock.untilNext).toBeNull();
  });

  test('after a burst the next one is a first again', () => {
    bursts.add('refused', 'a');
    clock.advance(1_000);
    bursts.add('refused', 'b');

    expect(written).toEqual([
      ['a', 1, 0],
      ['b', 1, 1_000],
    ]);
  });

  test('other kinds are counted by themselves', () => {
    for (const kind of ['x', 'y', 'x', 'y', 'y']) bursts.add(kind, kind);
    clock.advance(1_000);

    expect(written.map(([item, times]) => [item, times])).toEqual([
      ['x', 1],
      ['y', 1],
      ['x', 1],
      ['y', 2],
    ]);
  });
});

test('closing writes what was counted, and from then on each item at once', () => {
  bursts.add('refused', 'a');
  bursts.add('refused', 'b');
  bursts.close();
  bursts.add('refused', 'c');
  bursts.add('refused', 'd');

  expect(written.map(([item, times]) => [item, times])).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 1],
    ['d', 1],
  ]);
  expect(clock.untilNext).toBeNull();
});

test('whatever comes when, each item is written or counted once, a line a second and kind at most', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('x', 'y'), fc.nat({ max: 1_500 })), { maxLength: 60 }),
      (arrivals) => {
        clock = manualClock();
        written = [];
        bursts = createBursts({
          clock,
          write: (item, times) => written.push([item, times, clock.monotonic()]),
        });
        for (const [kind, wait] of arrivals) {
          clock.advance(wait);
          bursts.add(kind, kind);
        }
        clock.advance(2_000);

        for (const kind of ['x', 'y']) {
          const lines = written.filter(([item]) => item === kind);
          const told = lines.reduce((sum, [, times]) => sum + times, 0);
          expect(told).toBe(arrivals.filter(([arrived]) => arrived === kind).length);
          for (const [index, [, , at]] of lines.entries())
            expect(at - (lines[index - 1]?.[2] ?? -1_000)).toBeGreaterThanOrEqual(1_000);
        }
      },
    ),
  );
});
