import { expect, test } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import { adaptiveWindow } from '../run-job.ts';

test('an adaptive window is as large as the number of deliveries that ended in the last second', () => {
  const clock = manualClock();
  const window = adaptiveWindow(1000, clock);
  const sizes = [50, 2050, 6050, 6050].map((finished) => {
    window.observe(finished);
    clock.advance(500);
    return window.size();
  });
  expect(sizes).toEqual([1000, 2000, 6000, 4000]);
});

test('it shrinks to its minimum when nothing ends, and does not count deliveries that ended before the start', () => {
  const clock = manualClock();
  const window = adaptiveWindow(1000, clock);
  // A resumed replay starts with many ended deliveries.
  window.observe(90_000);
  expect(window.size()).toBe(1000);
  clock.advance(100);
  window.observe(95_000);
  expect(window.size()).toBe(5000);
  clock.advance(60_000);
  window.observe(95_010);
  expect(window.size()).toBe(1000);
  clock.advance(60_000);
  window.observe(95_020);
  expect(window.size()).toBe(1000);
});
