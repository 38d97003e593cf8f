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
