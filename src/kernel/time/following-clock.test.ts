import { expect, test } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import { createFollowingClock } from './following-clock.ts';

const HOUR = 3_600_000;
const machineStart = Date.parse('2026-01-01T00:00:00Z');

/** A machine whose clock is ahead of the other one by `ahead` milliseconds. */
function clocks(ahead: number) {
  const machine = manualClock(machineStart);
  const clock = createFollowingClock(machine);
  const other = manualClock(machineStart - ahead);
  function pass(ms: number): void {
    machine.advance(ms);
    other.advance(ms);
  }
  return {
    machine,
    clock,
    other,
    pass,
    /** Reads the other clock; each way takes `wayMs`. */
    read(wayMs = 0) {
      const askedAt = machine.monotonic();
      pass(wayMs);
      const time = other.now();
      pass(wayMs);
      return clock.follow({ time, askedAt, answeredAt: machine.monotonic() });
    },
  };
}

test('it is the clock of the machine until it follows another one', () => {
  const { clock, machine } = clocks(HOUR);
  machine.jump(5);
  expect(clock.now()).toBe(machineStart + 5);
});

test.each([HOUR, -HOUR])('a machine that is ahead by %d ms goes by the other clock', (ahead) => {
  const { clock, other, read, pass } = clocks(ahead);
  expect(read()).toBe(ahead);
  expect(clock.now()).toBe(other.now());
  pass(1_234);
  expect(clock.now()).toBe(other.now());
});

test('half the round trip is taken off', () => {
  const both = clocks(HOUR);
  expect(both.read(400)).toBe(HOUR);
  expect(both.clock.now()).toBe(both.other.now());
});

test.each([1_000, -1_000])('a difference of %d ms is ignored', (ahead) => {
  const both = clocks(ahead);
  expect(both.read()).toBeNull();
  expect(both.clock.now()).toBe(both.machine.now());
});

test('a difference that a long round trip may explain is ignored', () => {
  const { clock, machine } = clocks(0);
  machine.advance(8_000);
  const before = machine.now();
  // The other clock was read at the start or the end of eight seconds.
  expect(clock.follow({ time: before, askedAt: 0, answeredAt: 8_000 })).toBeNull();
  expect(clock.now()).toBe(before);
});

test('a jump of the machine changes nothing, and is reported once', () => {
  const both = clocks(0);
  both.read();
  both.machine.jump(HOUR);
  expect(both.clock.now()).toBe(both.other.now());
  expect([both.read(), both.read()]).toEqual([HOUR, null]);
  expect(both.clock.now()).toBe(both.other.now());
  both.machine.jump(-HOUR);
  expect([both.read(), both.read()]).toEqual([0, null]);
});

test('it follows a jump of the other clock, forward and back', () => {
  const both = clocks(0);
  both.read();
  both.other.jump(HOUR);
  both.read();
  expect(both.clock.now()).toBe(both.other.now());
  both.other.jump(-2 * HOUR);
  both.read();
  expect(both.clock.now()).toBe(both.other.now());
});

test('times are whole milliseconds', () => {
  const both = clocks(HOUR);
  both.read(0.3);
  both.pass(0.4);
  expect(Number.isInteger(both.clock.now())).toBe(true);
});
