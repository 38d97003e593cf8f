import { expect, test } from 'vitest';
import type { Prefetched, ClaimedDelivery, DeliveryKey, UnreadDelivery } from '../store/lane-queue.ts';
import { createLaunchPrefetched } from './launch-prefetched.ts';

function setUp() {
  const reads: number[] = [];
  const ran: string[] = [];
  const given: { readonly ids: readonly string[]; readonly reason: string }[] = [];
  const refused = new Map<string, string>();
  let giveBack = (): void => undefined;
  const queue: (() => void)[] = [];
  const lanes = { held: 0 };
  const time = { isUp: false };
  let letOn = (): void => undefined;
  const slots = { free: Promise.resolve() };

  const release = (deliveries: readonly DeliveryKey[], reason: string): Promise<void> => {
    given.push({ ids: deliveries.map(({ id }) => id), reason });
    return new Promise((resolve) => (giveBack = resolve));
  };
  const launchPrefetched = createLaunchPrefetched(
    {
      turns: { inLaterTurn: (begin) => void queue.push(begin), isDue: () => time.isUp },
      refusal: (handler) => refused.get(handler),
      release: {
        refused: release,
        unreadable: (deliveries) => release(deliveries, 'unreadable'),
      },
      run: (delivery: ClaimedDelivery) => void ran.push(delivery.id),
    },
    { hold: (count = 1) => (lanes.held += count), release: (count = 1) => (lanes.held -= count) },
    { noneWaiting: () => slots.free },
  );
  return {
    launchPrefetched,
    reads,
    ran,
    /** What was to be given back without having begun. */
    given,
    /** Handlers that must not run any more, and why. */
    refused,
    /** The last give-back has come through. */
    givenBack: () => {
      giveBack();
    },
    lanes,
    time,
    /** From now on all slots are taken, and some wait; the result lets them on. */
    takeSlots: () => {
      slots.free = new Promise((resolve) => (letOn = resolve));
      return () => {
        letOn();
      };
    },
    ahead: (
      count: number,
      fails: (read: number) => boolean = () => false,
      first = 1,
      largest = Infinity,
    ): Prefetched => {
      let left = ids(first, first + count - 1).map((id, at) => ({ id, handler: at % 2 ? 'odd' : 'even' }));
      return {
        left: () => left.length,
        next(most) {
          const taken = left.slice(0, Math.min(most, largest));
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
    /** One turn of the loop. */
    turn: async () => {
      for (const begin of queue.splice(0)) begin();
      for (let microtask = 0; microtask < 20; microtask += 1) await Promise.resolve();
    },
  };
}

const ids = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `d${String(from + at)}`);

test('what was claimed ahead is read and run some at a time, a turn of the loop for each', async () => {
  const { launchPrefetched, ahead, turn, reads, ran, lanes } = setUp();

  launchPrefetched.launch(ahead(100));
  expect([lanes.held, launchPrefetched.waiting(), ran]).toEqual([100, 100, []]);

  await turn();
  expect([reads, ran, launchPrefetched.waiting()]).toEqual([[64], ids(1, 64), 36]);
  await turn();
  expect([reads, ran, launchPrefetched.waiting()]).toEqual([[64, 36], ids(1, 100), 0]);
  await turn();
  expect(reads).toHaveLength(2);
});

test('nothing is read while others wait for a slot', async () => {
  const { launchPrefetched, ahead, turn, reads, ran, takeSlots } = setUp();
  const letOn = takeSlots();
  launchPrefetched.launch(ahead(3));
  await turn();
  expect(reads).toEqual([]);

  letOn();
  await turn();

  expect(ran).toEqual(ids(1, 3));
});

test('what was claimed first runs first, however many claims wait for a slot', async () => {
  const { launchPrefetched, ahead, turn, ran, takeSlots } = setUp();
  const letOn = takeSlots();
  launchPrefetched.launch(ahead(130));
  launchPrefetched.launch(ahead(2, undefined, 131));
  await turn();

  letOn();
  for (let turns = 0; turns < 4; turns += 1) await turn();

  expect(ran).toEqual(ids(1, 132));
});

test('what there is no time for runs in later turns, in order', async () => {
  const { launchPrefetched, ahead, turn, ran, time } = setUp();
  time.isUp = true;
  launchPrefetched.launch(ahead(66));
  await turn();
  expect(ran).toEqual([]);

  await turn();
  await turn();

  expect(ran).toEqual(ids(1, 66));
});

test('what cannot be read is given back and held until that is done, and the others run', async () => {
  const { launchPrefetched, ahead, turn, ran, lanes, given, givenBack } = setUp();
  launchPrefetched.launch(ahead(70, (read) => read === 1));
  await turn();
  expect(given).toEqual([{ ids: ids(1, 64), reason: 'unreadable' }]);
  await turn();
  expect([ran, lanes.held]).toEqual([ids(65, 70), 70]);

  givenBack();
  await turn();

  expect(lanes.held).toBe(6);
});

test('the store may hand out fewer, and those that are left wait', async () => {
  const { launchPrefetched, ahead, turn, ran, lanes, givenBack } = setUp();
  launchPrefetched.launch(ahead(5, (read) => read === 2, 1, 2));
  await turn();
  expect([ran, launchPrefetched.waiting(), lanes.held]).toEqual([ids(1, 2), 3, 5]);

  await turn();
  givenBack();
  await turn();
  expect([launchPrefetched.waiting(), lanes.held]).toEqual([0, 3]);
  await turn();
  expect(ran).toEqual([...ids(1, 2), 'd5']);
});

test('what may not run any more is given back unread, all claims together, and held until that is done', async () => {
  const { launchPrefetched, ahead, turn, reads, given, refused, givenBack, lanes } = setUp();
  launchPrefetched.launch(ahead(100));
  launchPrefetched.launch(ahead(3, undefined, 101));
  await turn();
  refused.set('even', 'stopping').set('odd', 'stopping');

  await turn();

  expect(reads).toEqual([64]);
  expect(given).toEqual([{ ids: ids(65, 103), reason: 'stopping' }]);
  expect([launchPrefetched.waiting(), lanes.held]).toEqual([39, 103]);
  givenBack();
  await turn();
  expect([launchPrefetched.waiting(), lanes.held]).toEqual([0, 64]);
});

test('what was claimed for others goes on meanwhile', async () => {
  const { launchPrefetched, ahead, turn, ran, given, refused } = setUp();
  refused.set('odd', 'the handler is paused');
  launchPrefetched.launch(ahead(4));
  await turn();
  launchPrefetched.launch(ahead(1, undefined, 5));
  await turn();

  expect(given).toEqual([{ ids: ['d2', 'd4'], reason: 'the handler is paused' }]);
  expect(ran).toEqual(['d1', 'd3', 'd5']);
});

test('nothing claimed ahead is nothing to do', async () => {
  const { launchPrefetched, ahead, turn, reads } = setUp();
  launchPrefetched.launch(ahead(0));
  await turn();
  expect(reads).toEqual([]);
});
