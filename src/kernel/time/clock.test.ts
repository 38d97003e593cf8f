import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-01T00:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

test('now returns wall-clock milliseconds since 1970', () => {
  expect(systemClock.now()).toBe(1_772_323_200_000);
});

test('monotonic ignores a jump of the wall clock', () => {
  const start = systemClock.monotonic();
  vi.setSystemTime(0);
  vi.advanceTimersByTime(250);
  expect(systemClock.monotonic() - start).toBe(250);
});

test('after calls back once, when its time has passed', () => {
  const callback = vi.fn<() => void>();
  systemClock.after(100, callback);
  vi.advanceTimersByTime(99);
  expect(callback).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(callback).toHaveBeenCalledTimes(1);
});

test('a cancelled timer never fires, and cancelling twice is harmless', () => {
  const callback = vi.fn<() => void>();
  const cancel = systemClock.after(100, callback);
  cancel();
  cancel();
  vi.advanceTimersByTime(1_000);
  expect(callback).not.toHaveBeenCalled();
});

test('a negative wait ends at once, one of more than 24 days does not', () => {
  const negative = vi.fn<() => void>();
  const distant = vi.fn<() => void>();
  systemClock.after(-5, negative);
  systemClock.after(90 * 24 * 3_600_000, distant);
  vi.advanceTimersByTime(1);
  expect(negative).toHaveBeenCalledTimes(1);
  expect(distant).not.toHaveBeenCalled();
});
