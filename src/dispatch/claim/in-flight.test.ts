import { expect, test } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import { createInFlight } from './in-flight.ts';

function setUp() {
  const clock = manualClock();
  let notified = 0;
  const inFlight = createInFlight({ concurrency: 4, clock, onCapacity: () => void (notified += 1) });
  const end: (() => void)[] = [];
  const add = (lanes: number): void => {
    for (let lane = 0; lane < lanes; lane += 1) {
      inFlight.add();
      end.push(inFlight.remove);
    }
  };
  const finish = (count: number): void => {
    for (let each = 0; each < count; each += 1) inFlight.finished();
  };
  return { clock, inFlight, add, finish, end, notified: () => notified };
}

test('nothing is prefetched before deliveries have finished', () => {
  const { inFlight, add } = setUp();
  expect(inFlight.capacity()).toEqual({ run: 4, prefetch: 0 });

  add(3);
  expect(inFlight.capacity()).toEqual({ run: 1, prefetch: 0 });
  add(1);
  expect(inFlight.capacity()).toEqual({ run: 0, prefetch: 0 });
});

test('with a store whose claims are slow, quick handlers get more at a time from claim to claim', () => {
  const { inFlight, clock } = setUp();
  const claimed: number[] = [];
  for (let claim = 0; claim < 6; claim += 1) {
    const { run, prefetch } = inFlight.capacity();
    claimed.push(run + prefetch);
    clock.advance(150);
    inFlight.claimTook(150);
    for (let each = 0; each < run + prefetch; each += 1) inFlight.finished();
    // The outcomes take as long.
    clock.advance(150);
  }
  expect(claimed.at(-1)).toBeGreaterThanOrEqual(16);
});

test('prefetches again when half of the prefetched have started, not before', () => {
  const { inFlight, finish, add } = setUp();
  finish(24);
  add(4 + 11);
  expect(inFlight.capacity()).toEqual({ run: 0, prefetch: 0 });
});

test('deliveries being recorded do not count, up to a limit', () => {
  const { inFlight, finish, add, notified } = setUp();
  finish(24);
  add(4 + 20);

  for (let run = 0; run < 9; run += 1) inFlight.recording();
  expect([inFlight.capacity().prefetch, notified()]).toEqual([0, 0]);
  inFlight.recording();
  expect([inFlight.capacity().prefetch, notified()]).toEqual([10, 1]);

  add(10);
  for (let run = 0; run < 20; run += 1) inFlight.recording();
  expect(inFlight.capacity().prefetch).toBe(10);
  add(10);
  expect(inFlight.capacity().prefetch).toBe(0);
});

test('prefetching ends when no delivery finishes for 200 ms', () => {
  const { inFlight, finish, clock } = setUp();
  finish(24);

  clock.advance(200);

  expect(inFlight.capacity()).toEqual({ run: 4, prefetch: 0 });
});

test('prefetching has a limit, however quick the handlers are', () => {
  const { inFlight, finish } = setUp();
  finish(1_000_000);
  expect(inFlight.capacity().prefetch).toBe(4_096);
});

test('notifies when removed lanes leave room to prefetch', async () => {
  const { inFlight, finish, add, end, notified } = setUp();
  finish(24);
  add(4 + 12);

  end[0]?.();
  await Promise.resolve();
  expect([inFlight.capacity().prefetch, notified()]).toEqual([0, 0]);
  end[1]?.();
  await Promise.resolve();
  expect([inFlight.capacity().prefetch, notified()]).toEqual([10, 1]);
});
