import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { createTickBudget } from './tick-budget.ts';

function setUp() {
  const clock = manualClock();
  const ticks = createTickBudget(clock);
  const begun: string[] = [];
  /** Defers a task that runs for `ms` milliseconds. */
  const begin = (name: string, ms = 0): Promise<string> =>
    new Promise((resolve) => {
      ticks.defer(() => {
        begun.push(name);
        clock.advance(ms);
        resolve(name);
      });
    });
  return { clock, ticks, begun, begin };
}

test('deferred tasks run in a later tick, in order', async () => {
  const { begin, begun } = setUp();
  const [first, second] = [begin('first'), begin('second')];
  for (let steps = 0; steps < 100; steps += 1) await Promise.resolve();
  expect(begun).toEqual([]);

  await nextTick();
  expect(begun).toEqual(['first', 'second']);
  expect(await Promise.all([first, second])).toEqual(['first', 'second']);
});

test('tasks beyond the budget run in the next tick, before newer tasks', async () => {
  const { begin, begun } = setUp();
  void begin('long', 1);
  void begin('waits', 0.5);
  void begin('waits too', 0.5);
  void begin('last');

  await nextTick();
  expect(begun).toEqual(['long']);
  void begin('newer');
  await nextTick();
  expect(begun).toEqual(['long', 'waits', 'waits too']);
  await nextTick();
  expect(begun).toEqual(['long', 'waits', 'waits too', 'last', 'newer']);
});

test('the budget is spent a millisecond after the tick began', async () => {
  const { begin, ticks, clock } = setUp();
  expect(ticks.isSpent()).toBe(true);
  await begin('one');
  expect(ticks.isSpent()).toBe(false);
  clock.advance(1);
  expect(ticks.isSpent()).toBe(true);
});
