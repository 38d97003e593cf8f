/** The clock that tests control. */
import type { Clock } from '../kernel/time/clock.ts';

/** A clock whose time changes only when a test changes it. */
export interface ManualClock extends Clock {
  /**
   * Advances the time by `ms` milliseconds. Due timers fire in the order of their
   * due times, each at its own time, including those that a fired timer sets.
   *
   * @throws RangeError when `ms` is negative.
   */
  advance(ms: number): void;
  /** Changes only `now()`, forward or back, as an administrator or NTP does. No timer fires. */
  jump(ms: number): void;
  /** Milliseconds until the next timer fires; null without a timer. */
  readonly untilNext: number | null;
}

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
}

/**
 * Creates a clock for tests: `const clock = manualClock('2026-03-01T12:00:00Z');`
 *
 * @param start the initial `now()`: milliseconds since 1970, or an ISO 8601 instant
 * @throws TypeError when `start` is not an instant.
 */
export function manualClock(start: number | string = '2026-01-01T00:00:00Z'): ManualClock {
  let wall = typeof start === 'number' ? start : Date.parse(start);
  if (!Number.isFinite(wall)) throw new TypeError(`not an instant: ${String(start)}`);
  let elapsed = 0;
  const timers = new Set<Timer>();

  function next(): Timer | undefined {
    let first: Timer | undefined;
    // A set is in insertion order, so the older of two timers with equal due times fires first.
    for (const timer of timers) if (first === undefined || timer.dueAt < first.dueAt) first = timer;
    return first;
  }

  function moveTo(instant: number): void {
    wall += instant - elapsed;
    elapsed = instant;
  }

  return {
    now: () => wall,
    monotonic: () => elapsed,
    after(ms, callback) {
      const timer = { dueAt: elapsed + Math.max(0, ms), callback };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    advance(ms) {
      if (!(ms >= 0)) throw new RangeError('advance() takes 0 ms or more; use jump() to set now() back');
      const end = elapsed + ms;
      for (let timer = next(); timer !== undefined && timer.dueAt <= end; timer = next()) {
        timers.delete(timer);
        moveTo(timer.dueAt);
        timer.callback();
      }
      moveTo(end);
    },
    jump(ms) {
      wall += ms;
    },
    get untilNext() {
      const timer = next();
      return timer === undefined ? null : timer.dueAt - elapsed;
    },
  };
}
