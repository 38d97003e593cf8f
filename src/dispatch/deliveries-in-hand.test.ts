import { expect, test } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { createDeliveriesInHand } from './deliveries-in-hand.ts';

function setUp() {
  const clock = manualClock();
  let released = 0;
  const inHand = createDeliveriesInHand({ concurrency: 4, clock, onRelease: () => void (released += 1) });
  const end: (() => void)[] = [];
  const hold = (lanes: number): void => {
    for (let lane = 0; lane < lanes; lane += 1) {
      inHand.hold();
      end.push(inHand.release);
    }
  };
  const finish = (count: number): void => {
    for (let each = 0; each < count; each += 1) inHand.finished();
  };
  return { clock, inHand, hold, finish, end, released: () => released };
}

test('as long as nothing was finished, only free slots are filled', () => {
  const { inHand, hold } = setUp();
  expect(inHand.room()).toEqual({ slots: 4, ahead: 0 });

  hold(3);
  expect(inHand.room()).toEqual({ slots: 1, ahead: 0 });
  hold(1);
  expect(inHand.room()).toEqual({ slots: 0, ahead: 0 });
});

test('as much is in hand as was finished in 100 ms', () => {
  const { inHand, finish, hold, clock } = setUp();
  finish(24);
  clock.advance(100);

  expect(inHand.room()).toEqual({ slots: 4, ahead: 20 });
  hold(4);
  expect(inHand.room()).toEqual({ slots: 0, ahead: 20 });
});

test('more is asked for when half of what was ahead is gone, not for each that goes', () => {
  const { inHand, finish, hold } = setUp();
  finish(24);
  hold(4 + 11);
  expect(inHand.room()).toEqual({ slots: 0, ahead: 0 });
});

test('what has run does not keep the next from being asked for, unless too much is to be recorded', () => {
  const { inHand, finish, hold, released } = setUp();
  finish(24);
  hold(4 + 20);

  for (let run = 0; run < 9; run += 1) inHand.recording();
  expect([inHand.room().ahead, released()]).toEqual([0, 0]);
  inHand.recording();
  expect([inHand.room().ahead, released()]).toEqual([10, 1]);

  hold(10);
  for (let run = 0; run < 20; run += 1) inHand.recording();
  expect(inHand.room().ahead).toBe(10);
  hold(10);
  expect(inHand.room().ahead).toBe(0);
});

test('a pause of the handlers ends the looking ahead', () => {
  const { inHand, finish, clock } = setUp();
  finish(24);

  clock.advance(200);

  expect(inHand.room()).toEqual({ slots: 4, ahead: 0 });
});

test('there is a limit, however quick the handlers are', () => {
  const { inHand, finish } = setUp();
  finish(1_000_000);
  expect(inHand.room().ahead).toBe(4_096);
});

test('tells of lanes that are let go of when more may be claimed', async () => {
  const { inHand, finish, hold, end, released } = setUp();
  finish(24);
  hold(4 + 12);

  end[0]?.();
  await Promise.resolve();
  expect([inHand.room().ahead, released()]).toEqual([0, 0]);
  end[1]?.();
  await Promise.resolve();
  expect([inHand.room().ahead, released()]).toEqual([10, 1]);
});

test('tells whenever a slot is free, and when none is in hand any more', async () => {
  const { inHand, hold, end, released } = setUp();
  await inHand.empty();
  hold(2);
  const empty = inHand.empty();

  end[0]?.();
  await Promise.resolve();
  expect([inHand.count(), released()]).toEqual([1, 1]);
  end[1]?.();
  await empty;
  expect([inHand.count(), released()]).toEqual([0, 2]);
});
