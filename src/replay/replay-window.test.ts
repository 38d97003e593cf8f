import { expect, test } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { followingWindow } from './replay-window.ts';

const progress = (finished: number) => ({
  pending: 7,
  running: 1,
  succeeded: finished - 3,
  dead: 1,
  skipped: 2,
});

test('a following window is as large as what was finished in the last second', () => {
  const clock = manualClock();
  const window = followingWindow(1000, clock);
  const sizes = [50, 2050, 6050, 6050].map((finished) => {
    window.note(progress(finished));
    clock.advance(500);
    return window.size();
  });
  expect(sizes).toEqual([1000, 2000, 6000, 4000]);
});

test('it shrinks back to its least when nothing is finished any more, and takes no start for speed', () => {
  const clock = manualClock();
  const window = followingWindow(1000, clock);
  // A resumed replay has finished much before.
  window.note(progress(90_000));
  expect(window.size()).toBe(1000);
  clock.advance(100);
  window.note(progress(95_000));
  expect(window.size()).toBe(5000);
  clock.advance(60_000);
  window.note(progress(95_010));
  expect(window.size()).toBe(1000);
  clock.advance(60_000);
  window.note(progress(95_020));
  expect(window.size()).toBe(1000);
});
