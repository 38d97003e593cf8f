import { expect, test } from 'vitest';
import type { ClaimedDelivery, DeliveryKey, Prefetched, UnreadDelivery } from '../../store/lane-queue.ts';
import { createPrefetcher } from './prefetcher.ts';

function setUp() {
  const reads: number[] = [];
  const started: string[] = [];
  const released: { readonly ids: readonly string[]; readonly reason: string }[] = [];
  const rejected = new Map<string, string>();
  let endRelease = (): void => undefined;
  const deferred: (() => void)[] = [];
  const lanes = { count: 0 };
  const budget = { isSpent: false };
  const limit = { noneWaiting: Promise.resolve() };

  const release = (deliveries: readonly DeliveryKey[], reason: string): Promise<void> => {
    if (deliveries.length === 0) return Promise.resolve();
    released.push({ ids: deliveries.map(({ id }) => id), reason });
    return new Promise((resolve) => {
      endRelease = () => {
        lanes.count -= deliveries.length;
        resolve();
      };
    });
  };
  const prefetcher = createPrefetcher({
    scheduler: {
      noneWaiting: () => limit.noneWaiting,
      defer: (task) => void deferred.push(task),
      soon: (task) => {
        if (budget.isSpent) deferred.push(task);
        else task();
      },
    },
    inFlight: { add: (count = 1) => (lanes.count += count) },
    release: {
      inadmissible: release,
      unreadable: (deliveries) => release(deliveries, 'unreadable'),
    },
    admission: { rejectsHandler: (handler) => rejected.get(handler) },
    start: (delivery) => void started.push(delivery.id),
  });
  return {
    prefetcher,
    reads,
    started,
    /** Deliveries released without a start. */
    released,
    /** Handlers whose deliveries may not start, and why. */
    rejected,
    /** Ends the last release. */
    endRelease: () => {
      endRelease();
    },
    lanes,
    budget,
    /** Reaches the concurrency limit; the result makes room. */
    reachLimit: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      limit.noneWaiting = promise;
      return resolve;
    },
    /** Prefetched deliveries; the store reads `maxRead` at most at a time. */
    prefetched: (
      count: number,
      {
        fails = () => false,
        first = 1,
        maxRead = Infinity,
      }: { fails?: (read: number) => boolean; first?: number; maxRead?: number } = {},
    ): Prefetched => {
      let left = ids(first, first + count - 1).map((id, at) => ({ id, handler: at % 2 ? 'odd' : 'even' }));
      return {
        left: () => left.length,
        next(most) {
          const taken = left.slice(0, Math.min(most, maxRead));
          left = left.slice(taken.length);
          reads.push(taken.length);
          return Promise.resolve(
            fails(reads.length)
              ? { deliveries: [], unread: taken as UnreadDelivery[] }
              : { deliveries: taken as ClaimedDelivery[], unread: [] },
          );
        },
        handlers: () => [...new Set(left.map(({ handler }) => handler))],
        withdraw(handlers) {
          const withdrawn = left.filter(({ handler }) => handlers.includes(handler));
          left = left.filter(({ handler }) => !handlers.includes(handler));
          return withdrawn as DeliveryKey[];
        },
      };
    },
    /** One tick of the event loop. */
    tick: async () => {
      for (const task of deferred.splice(0)) task();
      for (let microtask = 0; microtask < 20; microtask += 1) await Promise.resolve();
    },
  };
}

const ids = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `d${String(from + at)}`);

test('reads and starts prefetched deliveries some at a time, in a tick each', async () => {
  const { prefetcher, prefetched, tick, reads, started, lanes } = setUp();

  prefetcher.add(prefetched(100));
  expect([lanes.count, prefetcher.waiting(), started]).toEqual([100, 100, []]);

  await tick();
  expect([reads, started, prefetcher.waiting()]).toEqual([[64], ids(1, 64), 36]);
  await tick();
  expect([reads, started, prefetcher.waiting()]).toEqual([[64, 36], ids(1, 100), 0]);
  await tick();
  expect(reads).toHaveLength(2);
});

test('reads nothing while deliveries wait for the concurrency limit', async () => {
  const { prefetcher, prefetched, tick, reads, started, reachLimit } = setUp();
  const makeRoom = reachLimit();
  prefetcher.add(prefetched(3));
  await tick();
  expect(reads).toEqual([]);

  makeRoom();
  await tick();

  expect(started).toEqual(ids(1, 3));
});

test('starts the oldest claim first', async () => {
  const { prefetcher, prefetched, tick, started, reachLimit } = setUp();
  const makeRoom = reachLimit();
  prefetcher.add(prefetched(130));
  prefetcher.add(prefetched(2, { first: 131 }));
  await tick();

  makeRoom();
  for (let ticks = 0; ticks < 4; ticks += 1) await tick();

  expect(started).toEqual(ids(1, 132));
});

test('starts deliveries beyond the budget in later ticks, in order', async () => {
  const { prefetcher, prefetched, tick, started, budget } = setUp();
  budget.isSpent = true;
  prefetcher.add(prefetched(66));
  await tick();
  expect(started).toEqual([]);

  await tick();
  await tick();

  expect(started).toEqual(ids(1, 66));
});

test('releases unreadable deliveries, counts them until that is done, and starts the others', async () => {
  const { prefetcher, prefetched, tick, started, lanes, released, endRelease } = setUp();
  prefetcher.add(prefetched(70, { fails: (read) => read === 1 }));
  await tick();
  expect(released).toEqual([{ ids: ids(1, 64), reason: 'unreadable' }]);
  await tick();
  expect([started, lanes.count]).toEqual([ids(65, 70), 70]);

  endRelease();
  await tick();

  expect(lanes.count).toBe(6);
});

test('keeps the rest waiting when the store reads fewer', async () => {
  const { prefetcher, prefetched, tick, started, lanes, endRelease } = setUp();
  prefetcher.add(prefetched(5, { fails: (read) => read === 2, maxRead: 2 }));
  await tick();
  expect([started, prefetcher.waiting(), lanes.count]).toEqual([ids(1, 2), 3, 5]);

  await tick();
  endRelease();
  await tick();
  expect([prefetcher.waiting(), lanes.count]).toEqual([0, 3]);
  await tick();
  expect(started).toEqual([...ids(1, 2), 'd5']);
});

test('releases inadmissible deliveries unread, of all claims together, and counts them until that is done', async () => {
  const { prefetcher, prefetched, tick, reads, released, rejected, endRelease, lanes } = setUp();
  prefetcher.add(prefetched(100));
  prefetcher.add(prefetched(3, { first: 101 }));
  await tick();
  rejected.set('even', 'stopping').set('odd', 'stopping');

  await tick();

  expect(reads).toEqual([64]);
  expect(released).toEqual([{ ids: ids(65, 103), reason: 'stopping' }]);
  expect([prefetcher.waiting(), lanes.count]).toEqual([39, 103]);
  endRelease();
  await tick();
  expect([prefetcher.waiting(), lanes.count]).toEqual([0, 64]);
});

test('releases the deliveries of each handler for its own reason', async () => {
  const { prefetcher, prefetched, tick, released, rejected } = setUp();
  rejected.set('even', 'the breaker of the handler is open').set('odd', 'the handler is paused');
  prefetcher.add(prefetched(4));

  await tick();

  expect(released).toEqual([
    { ids: ['d1', 'd3'], reason: 'the breaker of the handler is open' },
    { ids: ['d2', 'd4'], reason: 'the handler is paused' },
  ]);
});

test('releases what it has withdrawn when the reason ends at that moment', async () => {
  const { prefetcher, prefetched, tick, released, rejected } = setUp();
  rejected.set('even', 'the handler is paused').set('odd', 'the handler is paused');
  const get = rejected.get.bind(rejected);
  rejected.get = (handler) => {
    const reason = get(handler);
    rejected.delete(handler);
    return reason;
  };
  prefetcher.add(prefetched(4));

  await tick();

  expect(released.map(({ ids }) => ids.toSorted())).toEqual([ids(1, 4)]);
});

test('ignores an empty claim', async () => {
  const { prefetcher, prefetched, tick, reads } = setUp();
  prefetcher.add(prefetched(0));
  await tick();
  expect(reads).toEqual([]);
});
