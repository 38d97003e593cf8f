import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

/** A task that ends when it is told to. */
function task() {
  const { promise, resolve } = Promise.withResolvers<string>();
  let begun = false;
  return {
    run: () => {
      begun = true;
      return promise;
    },
    begun: () => begun,
    end: () => {
      resolve('ended');
    },
  };
}

test('a task that is over at once gives its result at once', () => {
  const { inSlot } = createSlots(1);
  expect(inSlot(() => 'over')).toBe('over');
  expect(inSlot(() => 'over too')).toBe('over too');
});

test('as many run as there are slots, the others wait in order', async () => {
  const { inSlot, waiting } = createSlots(2);
  const tasks = [task(), task(), task(), task()];
  const results = tasks.map(({ run }) => inSlot(run));
  const begun = () => tasks.map((each) => each.begun());
  expect(begun()).toEqual([true, true, false, false]);
  expect(waiting()).toBe(2);

  tasks[1]?.end();
  expect(await results[1]).toBe('ended');
  await Promise.resolve();
  expect(begun()).toEqual([true, true, true, false]);
  expect(waiting()).toBe(1);
});

test('while all slots are taken, what would be over at once waits too', async () => {
  const { inSlot } = createSlots(1);
  const long = task();
  void inSlot(long.run);
  const order: string[] = [];
  const short = inSlot(() => void order.push('short'));
  expect(order).toEqual([]);

  long.end();
  await short;
  expect(order).toEqual(['short']);
});

test('a task that fails leaves its slot', async () => {
  const { inSlot } = createSlots(1);
  await expect(inSlot(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  const throwing = (): string => {
    throw new Error('at once');
  };
  expect(() => inSlot(throwing)).toThrow('at once');
  expect(inSlot(() => 'free')).toBe('free');
});

test('opened, it lets all run that wait, and all that come', async () => {
  const { inSlot, open, waiting } = createSlots(1);
  const tasks = [task(), task(), task()];
  for (const { run } of tasks) void inSlot(run);
  open();
  await Promise.resolve();
  expect(tasks.map(({ begun }) => begun())).toEqual([true, true, true]);
  expect(waiting()).toBe(0);
});

test('who waits until nobody waits for a slot hears when the last of them begins', async () => {
  const { inSlot, noneWaiting } = createSlots(1);
  await noneWaiting();
  const [running, waiting] = [task(), task()];
  void inSlot(running.run);
  await noneWaiting();
  void inSlot(waiting.run);
  let heard = false;
  const hearing = noneWaiting().then(() => (heard = true));
  await Promise.resolve();
  expect([heard, waiting.begun()]).toEqual([false, false]);

  running.end();
  await hearing;

  expect(waiting.begun()).toBe(true);
});
