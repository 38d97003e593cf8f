import type { Clock } from '../kernel/time/clock.ts';

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  /**
   * Moves time on by `ms` milliseconds. Timers that come due on the way fire
   * in the order of their due times, each at its own instant; also those that
   * a fired timer sets.
   */
  advance(ms: number): void;
  /** Moves the wall alone, either way, as an administrator or NTP does. No timer fires. */
  jump(ms: number): void;
  /** Milliseconds until the next timer fires; null when none is set. */
  readonly untilNext: number | null;
}

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
}

/** @param start what the wall shows at first: milliseconds since 1970, or an ISO 8601 instant. */
export function manualClock(start: number | string = '2026-01-01T00:00:00Z'): ManualClock {
  let wall = typeof start === 'number' ? start : Date.parse(start);
  if (!Number.isFinite(wall)) throw new TypeError(`not an instant: ${String(start)}`);
  let elapsed = 0;
  const timers = new Set<Timer>();

  function next(): Timer | undefined {
    let first: Timer | undefined;
    // A set keeps insertion order, so of equal due times the older one wins.
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
      if (!(ms >= 0)) throw new RangeError('time only goes forward; use jump() to move the wall back');
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
