import fc from 'fast-check';
import { expect, test } from 'vitest';
import { manualClock } from '../src/testing/manual-clock.ts';
import { movableClock } from './movable-clock.ts';

function open(ahead = 0) {
  const machine = manualClock('2026-03-10T12:00:00.000Z');
  const clock = movableClock(machine, ahead);
  const fired: string[] = [];
  return { machine, clock, fired, after: (ms: number) => clock.after(ms, () => fired.push(String(ms))) };
}

const at = (instant: string) => Date.parse(instant);

test('runs with the machine, at its initial offset', () => {
  const { machine, clock } = open(60_000);

  expect(clock.now()).toBe(at('2026-03-10T12:01:00.000Z'));
  machine.advance(500);
  expect(clock.now()).toBe(at('2026-03-10T12:01:00.500Z'));
  expect(clock.ahead).toBe(60_000);
});

test('keeps its offset once advanced, for the wall clock and for durations', () => {
  const { machine, clock } = open();
  const before = clock.monotonic();

  clock.advance(3_600_000);
  machine.advance(1);

  expect(clock.now()).toBe(at('2026-03-10T13:00:00.001Z'));
  expect(clock.monotonic() - before).toBe(3_600_001);
  expect(machine.now()).toBe(at('2026-03-10T12:00:00.001Z'));
});

test('fires a timer when the machine reaches its due time', () => {
  const { machine, fired, after } = open();
  after(1_000);

  machine.advance(999);
  expect(fired).toEqual([]);
  machine.advance(1);
  expect(fired).toEqual(['1000']);
});

test('fires overdue timers in the order of their due times, and the others later', () => {
  const { machine, clock, fired, after } = open();
  after(3_000);
  after(1_000);
  after(2_000);
  after(9_000);

  clock.advance(5_000);
  machine.advance(0);
  expect(fired).toEqual(['1000', '2000', '3000']);
  machine.advance(3_999);
  expect(fired).toHaveLength(3);
  machine.advance(1);
  expect(fired.at(-1)).toBe('9000');
});

test('fires a timer once, however often the clock is advanced', () => {
  const { machine, clock, fired, after } = open();
  after(1_000);

  clock.advance(2_000);
  machine.advance(0);
  clock.advance(2_000);
  machine.advance(10_000);

  expect(fired).toEqual(['1000']);
});

test('never fires a cancelled timer, before or after an advance', () => {
  const { machine, clock, fired, after } = open();
  const cancelEarly = after(1_000);
  const cancelLate = after(2_000);

  cancelEarly();
  clock.advance(5_000);
  cancelLate();
  cancelLate();
  machine.advance(10_000);

  expect(fired).toEqual([]);
});

test('fires a timer set for the past as soon as possible', () => {
  const { machine, fired, after } = open();
  after(-5);

  machine.advance(0);

  expect(fired).toEqual(['-5']);
});

test.each([-1, Number.NaN])('rejects an advance by %d', (ms) => {
  const { clock } = open();

  expect(() => {
    clock.advance(ms);
  }).toThrow(RangeError);
  expect(clock.ahead).toBe(0);
});

test('runs faster from a change of its speed on, and timers keep their due times', () => {
  const { machine, clock, fired, after } = open();
  after(60_000);
  machine.advance(10_000);

  clock.setSpeed(50);
  machine.advance(999);
  expect(fired).toEqual([]);
  machine.advance(1);
  expect(fired).toEqual(['60000']);
  expect(clock.now()).toBe(at('2026-03-10T12:01:00.000Z'));

  clock.setSpeed(1);
  machine.advance(1_000);
  expect(clock.now()).toBe(at('2026-03-10T12:01:01.000Z'));
  expect(clock.ahead).toBe(49_000);
});

test('stands still at speed 0: nothing becomes due until it is advanced or runs again', () => {
  const { machine, clock, fired, after } = open();
  after(1_000);
  clock.setSpeed(0);
  after(2_000);

  machine.advance(3_600_000);
  expect(clock.now()).toBe(at('2026-03-10T12:00:00.000Z'));
  expect(fired).toEqual([]);

  clock.advance(1_500);
  machine.advance(0);
  expect(fired).toEqual(['1000']);
  clock.setSpeed(1);
  machine.advance(500);
  expect(fired).toEqual(['1000', '2000']);
});

test.each([-1, Number.NaN])('rejects the speed %d', (speed) => {
  const { clock } = open();

  expect(() => {
    clock.setSpeed(speed);
  }).toThrow(RangeError);
  expect(clock.speed).toBe(1);
});

test('neither goes back nor jumps at a change of its speed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ speed: fc.integer({ min: 0, max: 3_600 }), ms: fc.nat(5_000) }), {
        maxLength: 30,
      }),
      (changes) => {
        const { machine, clock } = open();
        let expected = clock.now();
        for (const { speed, ms } of changes) {
          clock.setSpeed(speed);
          expect(clock.now()).toBe(expected);
          machine.advance(ms);
          expected += speed * ms;
          expect(clock.now()).toBe(expected);
        }
      },
    ),
  );
});
