import { expect, test } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import { pause } from './pause.ts';

test('ends after its time, with or without a signal', async () => {
  const clock = manualClock();
  const ended: string[] = [];
  void pause(clock, 100).then(() => ended.push('without'));
  void pause(clock, 100, new AbortController().signal).then(() => ended.push('with'));
  clock.advance(99);
  await Promise.resolve();
  expect(ended).toEqual([]);
  clock.advance(1);
  await Promise.resolve();
  expect(ended).toEqual(['without', 'with']);
});

test('ends when its signal aborts, and leaves no timer', async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const paused = pause(clock, 100, stop.signal);
  stop.abort();
  await paused;
  expect(clock.untilNext).toBeNull();
});

test('does not begin after its signal has aborted', async () => {
  const clock = manualClock();
  await pause(clock, 100, AbortSignal.abort());
  expect(clock.untilNext).toBeNull();
});
