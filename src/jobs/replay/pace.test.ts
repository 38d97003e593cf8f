import { expect, test } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import { createPace } from '../run-job.ts';

const running = new AbortController().signal;

test('starts are spread over a second, and a batch counts each call', async () => {
  const clock = manualClock();
  const pace = createPace(10, clock, running);
  await pace(1);
  expect(await waitOf(clock, pace(5))).toBe(100);
  expect(await waitOf(clock, pace(1))).toBe(500);
});

test('unused time is not saved up', async () => {
  const clock = manualClock();
  const pace = createPace(1, clock, running);
  await pace(1);
  clock.advance(60_000);
  expect(await waitOf(clock, pace(1))).toBe(0);
  expect(await waitOf(clock, pace(1))).toBe(1000);
});

test('without a rate nothing waits; an abort ends the wait', async () => {
  const clock = manualClock();
  await createPace(undefined, clock, running)(1000);
  const stop = new AbortController();
  const pace = createPace(0.001, clock, stop.signal);
  await pace(1);
  const waiting = pace(1);
  stop.abort();
  await waiting;
  expect(clock.now()).toBe(manualClock().now());
});

/** Milliseconds that pass before the wait ends. */
async function waitOf(clock: ReturnType<typeof manualClock>, wait: Promise<void>): Promise<number> {
  const start = clock.monotonic();
  for (let next = clock.untilNext; next !== null; next = clock.untilNext) clock.advance(next);
  await wait;
  return clock.monotonic() - start;
}
