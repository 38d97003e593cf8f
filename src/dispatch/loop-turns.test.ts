import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { createLoopTurns } from './loop-turns.ts';

function setUp() {
  const clock = manualClock();
  const turns = createLoopTurns(clock);
  const begun: string[] = [];
  /** Work that takes so long before it waits for anything. */
  const begin = (name: string, ms = 0): Promise<string> =>
    new Promise((resolve) => {
      turns.inLaterTurn(() => {
        begun.push(name);
        clock.advance(ms);
        resolve(name);
      });
    });
  return { clock, turns, begun, begin };
}

test('work begins in a later turn, in the order in which it came, and gives what it gives', async () => {
  const { begin, begun } = setUp();
  const [first, second] = [begin('first'), begin('second')];
  for (let steps = 0; steps < 100; steps += 1) await Promise.resolve();
  expect(begun).toEqual([]);

  await turnOfTheLoop();
  expect(begun).toEqual(['first', 'second']);
  expect(await Promise.all([first, second])).toEqual(['first', 'second']);
});

test('what there is no time for waits for the next turn, ahead of what comes meanwhile', async () => {
  const { begin, begun } = setUp();
  void begin('long', 1);
  void begin('waits', 0.5);
  void begin('waits too', 0.5);
  void begin('last');

  await turnOfTheLoop();
  expect(begun).toEqual(['long']);
  void begin('came meanwhile');
  await turnOfTheLoop();
  expect(begun).toEqual(['long', 'waits', 'waits too']);
  await turnOfTheLoop();
  expect(begun).toEqual(['long', 'waits', 'waits too', 'last', 'came meanwhile']);
});

test('a turn is due a millisecond after the last', async () => {
  const { begin, turns, clock } = setUp();
  expect(turns.isDue()).toBe(true);
  await begin('one');
  expect(turns.isDue()).toBe(false);
  clock.advance(1);
  expect(turns.isDue()).toBe(true);
});
