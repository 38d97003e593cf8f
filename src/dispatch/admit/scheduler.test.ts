import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import { createScheduler } from './scheduler.ts';

describe('the concurrency limit', () => {
  const limitedTo = (concurrency: number) => createScheduler({ concurrency, clock: manualClock() });

  /** A task that ends when `end` is called. */
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

  test('a synchronous task returns its result at once', () => {
    const { run } = limitedTo(1);
    expect(run(() => 'over')).toBe('over');
    expect(run(() => 'over too')).toBe('over too');
  });

  test('tasks beyond the limit wait and start in order', async () => {
    const { run, waiting } = limitedTo(2);
    const tasks = [task(), task(), task(), task()];
    const results = tasks.map((each) => run(each.run));
    const begun = () => tasks.map((each) => each.begun());
    expect(begun()).toEqual([true, true, false, false]);
    expect(waiting()).toBe(2);

    tasks[1]?.end();
    expect(await results[1]).toBe('ended');
    await Promise.resolve();
    expect(begun()).toEqual([true, true, true, false]);
    expect(waiting()).toBe(1);
  });

  test('a synchronous task waits, too, while the limit is reached', async () => {
    const { run } = limitedTo(1);
    const long = task();
    void run(long.run);
    const order: string[] = [];
    const short = run(() => void order.push('short'));
    expect(order).toEqual([]);

    long.end();
    await short;
    expect(order).toEqual(['short']);
  });

  test('a failed task makes room for the next', async () => {
    const { run } = limitedTo(1);
    await expect(run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const throwing = (): string => {
      throw new Error('at once');
    };
    expect(() => run(throwing)).toThrow('at once');
    expect(run(() => 'free')).toBe('free');
  });

  test('without the limit all waiting tasks start', async () => {
    const { run, lift, waiting } = limitedTo(1);
    const tasks = [task(), task(), task()];
    for (const each of tasks) void run(each.run);
    lift();
    await Promise.resolve();
    expect(tasks.map(({ begun }) => begun())).toEqual([true, true, true]);
    expect(waiting()).toBe(0);
  });

  test('noneWaiting resolves when the last waiting task starts', async () => {
    const { run, noneWaiting } = limitedTo(1);
    await noneWaiting();
    const [running, waiting] = [task(), task()];
    void run(running.run);
    await noneWaiting();
    void run(waiting.run);
    let resolved = false;
    const none = noneWaiting().then(() => (resolved = true));
    await Promise.resolve();
    expect([resolved, waiting.begun()]).toEqual([false, false]);

    running.end();
    await none;

    expect(waiting.begun()).toBe(true);
  });
});

describe('the time of a tick', () => {
  function setUp() {
    const clock = manualClock();
    const scheduler = createScheduler({ concurrency: 1, clock });
    const begun: string[] = [];
    const task = (name: string, ms: number) => () => {
      begun.push(name);
      clock.advance(ms);
    };
    return {
      clock,
      begun,
      /** Defers a task that runs for `ms` milliseconds. */
      defer: (name: string, ms = 0) => {
        scheduler.defer(task(name, ms));
      },
      soon: (name: string, ms = 0) => {
        scheduler.soon(task(name, ms));
      },
    };
  }

  test('deferred tasks run in a later tick, in order', async () => {
    const { defer, begun } = setUp();
    defer('first');
    defer('second');
    for (let steps = 0; steps < 100; steps += 1) await Promise.resolve();
    expect(begun).toEqual([]);

    await nextTick();
    expect(begun).toEqual(['first', 'second']);
  });

  test('tasks beyond the budget run in the next tick, before newer tasks', async () => {
    const { defer, begun } = setUp();
    defer('long', 1);
    defer('waits', 0.5);
    defer('waits too', 0.5);
    defer('last');

    await nextTick();
    expect(begun).toEqual(['long']);
    defer('newer');
    await nextTick();
    expect(begun).toEqual(['long', 'waits', 'waits too']);
    await nextTick();
    expect(begun).toEqual(['long', 'waits', 'waits too', 'last', 'newer']);
  });

  test('a task that may run soon waits for the next tick once a millisecond of this one is spent', async () => {
    const { defer, soon, begun, clock } = setUp();
    soon('before the first tick');
    expect(begun).toEqual([]);
    defer('deferred');
    await nextTick();
    expect(begun).toEqual(['before the first tick', 'deferred']);

    soon('within the budget', 0.5);
    expect(begun.at(-1)).toBe('within the budget');
    clock.advance(0.5);
    soon('beyond it');
    expect(begun.at(-1)).toBe('within the budget');
    await nextTick();
    expect(begun.at(-1)).toBe('beyond it');
  });
});
