import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from './system-clock.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-01T00:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

test('shows the wall in milliseconds since 1970', () => {
  expect(systemClock.now()).toBe(1_772_323_200_000);
});

test('measures durations that a jump of the wall does not touch', () => {
  const start = systemClock.monotonic();
  vi.setSystemTime(0);
  vi.advanceTimersByTime(250);
  expect(systemClock.monotonic() - start).toBe(250);
});

test('calls back once, when the time has passed and not before', () => {
  const callback = vi.fn<() => void>();
  systemClock.after(100, callback);
  vi.advanceTimersByTime(99);
  expect(callback).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(callback).toHaveBeenCalledTimes(1);
});

test('a cancelled timer never fires, and cancelling again does no harm', () => {
  const callback = vi.fn<() => void>();
  const cancel = systemClock.after(100, callback);
  cancel();
  cancel();
  vi.advanceTimersByTime(1_000);
  expect(callback).not.toHaveBeenCalled();
});

test('a wait in the past is over at once, one beyond 24 days is not', () => {
  const past = vi.fn<() => void>();
  const distant = vi.fn<() => void>();
  systemClock.after(-5, past);
  systemClock.after(90 * 24 * 3_600_000, distant);
  vi.advanceTimersByTime(1);
  expect(past).toHaveBeenCalledTimes(1);
  expect(distant).not.toHaveBeenCalled();
});
