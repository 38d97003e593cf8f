import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { close, take, type Bucket } from './bucket.ts';

const MS = 1_000;
const unused: Bucket = {
  empty_at: 0,
  closed_until: 0,
  queued_until: 0,
  overdue_until: 0,
  asked_at: 0,
  interval_us: 0,
};
const START = Date.UTC(2026, 0, 1) * MS;

/** Calls come and ask, and ask again when they were told to, or later: a process may be slow or down. */
class World {
  readonly started: number[] = [];
  waiting: readonly number[] = [];
  asked = 0;
  now = START;
  #bucket = unused;
  #limit: { readonly intervalUs: number; readonly burst: number };

  constructor(limit: { readonly intervalUs: number; readonly burst: number }) {
    this.#limit = limit;
  }

  come(): void {
    this.#ask(false);
  }

  /** Those that are due ask again. */
  ask(): void {
    const due = this.waiting.filter((dueAt) => dueAt <= this.now);
    this.waiting = this.waiting.filter((dueAt) => dueAt > this.now);
    for (let calls = due.length; calls > 0; calls -= 1) this.#ask(true);
  }

  close(forUs: number): void {
    this.#bucket = close(this.#bucket, this.now + forUs, this.now);
  }

  change(intervalUs: number): void {
    this.#limit = { ...this.#limit, intervalUs };
  }

  #ask(asksAgain: boolean): void {
    this.asked += 1;
    const { bucket, dueAt } = take(this.#bucket, { ...this.#limit, asksAgain }, this.now);
    this.#bucket = bucket;
    if (dueAt === null) {
      expect(this.now).toBeGreaterThanOrEqual(bucket.closed_until);
      this.started.push(this.now);
    } else {
      expect(dueAt).toBeGreaterThan(this.now);
      this.waiting = [...this.waiting, dueAt];
    }
  }
}

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('come' as const), times: fc.integer({ min: 1, max: 8 }) }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat({ max: 700 }) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('ask' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const), ms: fc.nat({ max: 3_000 }) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('change' as const), ms: fc.integer({ min: 1, max: 500 }) }),
    },
  ),
  { maxLength: 80, size: 'max' },
);
const limits = fc.record({
  intervalUs: fc.integer({ min: 1 * MS, max: 500 * MS }),
  burst: fc.integer({ min: 1, max: 5 }),
});

test('in any time there start at most a burst and one for each interval, the shortest if it changes, nothing while it is closed, and in the end all', () => {
  fc.assert(
    fc.property(limits, steps, ({ intervalUs, burst }, all) => {
      const world = new World({ intervalUs, burst });
      let came = 0;
      for (const step of all) {
        if (step.do === 'wait') world.now += step.ms * MS;
        if (step.do === 'ask') world.ask();
        if (step.do === 'change') world.change(step.ms * MS);
        if (step.do === 'close') world.close(step.ms * MS);
        if (step.do === 'come') for (let times = 0; times < step.times; times += 1, came += 1) world.come();
      }
      // Each that waits asks again, and for each that asks in vain another one starts.
      for (let rounds = 0; world.waiting.length > 0 && rounds < 20 * came + 20; rounds += 1) {
        world.now = Math.max(world.now, Math.min(...world.waiting));
        world.ask();
      }
      expect(world.started).toHaveLength(came);
      const changed = all.flatMap((step) => (step.do === 'change' ? step.ms * MS : []));
      const shortestUs = Math.min(intervalUs, ...changed);
      for (const [first, from] of world.started.entries())
        for (const [last, to] of world.started.entries())
          if (last >= first) expect(last - first + 1).toBeLessThanOrEqual(burst + (to - from) / shortestUs);
    }),
    { numRuns: propertyRuns(300) },
  );
});

test('ten thousand calls ask a few times each, at the limit, though each of them is late', () => {
  const intervalUs = 100 * MS;
  const world = new World({ intervalUs, burst: 2 });
  for (let calls = 0; calls < 10_000; calls += 1) world.come();
  for (let rounds = 0; world.waiting.length > 0; rounds += 1) {
    const next = Math.min(...world.waiting);
    world.now = Math.max(world.now, next) + (rounds % 7) * MS;
    world.ask();
  }
  expect(world.started).toHaveLength(10_000);
  expect((world.started.at(-1) ?? 0) - START).toBeLessThan(1.01 * 10_000 * intervalUs);
  expect(world.asked).toBeLessThan(3 * 10_000);
});

test('a clock that went back, and a higher limit, prolong no wait', () => {
  const slow = { intervalUs: 3_600_000 * MS, burst: 2, asksAgain: false };
  let bucket = unused;
  for (let calls = 0; calls < 5; calls += 1) ({ bucket } = take(bucket, slow, START));
  const yesterday = START - 86_400_000 * MS;
  const { dueAt } = take(bucket, slow, yesterday);
  expect(dueAt).toBe(yesterday + slow.intervalUs);

  const fast = { intervalUs: 100 * MS, burst: 2, asksAgain: true };
  expect(take(bucket, fast, START).dueAt).toBe(START + fast.intervalUs);
});

test.each([false, true])(
  'when a limit was far too low and is corrected, what comes then waits by the new one (asks again: %s)',
  (asksAgain) => {
    const byMistake = { intervalUs: 3_600_000 * MS, burst: 1, asksAgain };
    let bucket = unused;
    for (let calls = 0; calls <= 500; calls += 1) ({ bucket } = take(bucket, byMistake, START));
    const { dueAt } = take(bucket, { ...byMistake, intervalUs: 100 * MS }, START);
    expect(dueAt).toBe(START + 501 * 100 * MS);
  },
);

test('when a limit changes while the bucket is closed, only what is after the closure changes', () => {
  const fast = { intervalUs: 100 * MS, burst: 1, asksAgain: false };
  let bucket = close(unused, START + 60_000 * MS, START);
  for (let calls = 0; calls < 5; calls += 1) ({ bucket } = take(bucket, fast, START));
  const { dueAt } = take(bucket, { ...fast, intervalUs: 1_000 * MS }, START);
  expect(dueAt).toBe(START + 65_000 * MS);
});

test('a pause that the target wanted ends in time when the clock goes back after it or within it', () => {
  const call = { intervalUs: 100 * MS, burst: 2, asksAgain: false };
  const hour = 3_600_000 * MS;
  const closed = close(unused, START + 2_000 * MS, START);
  expect(take(closed, call, START - hour).dueAt).toBe(START - hour + 2_000 * MS);
  const { bucket: open } = take(closed, call, START + 60_000 * MS);
  expect(take(open, call, START - hour).dueAt).toBe(START - hour + call.intervalUs);
});

test('a target closes it for an hour at most, and never opens it earlier', () => {
  const hour = 3_600_000 * MS;
  const closed = close(unused, START + 86_400_000 * MS, START);
  expect(closed.closed_until).toBe(START + hour);
  expect(close(closed, START + 1, START).closed_until).toBe(START + hour);
});
