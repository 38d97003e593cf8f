import type { Cancel, Clock } from '../src/kernel/time/clock.ts';

/** A clock that runs as the machine's does, and can be put forward. */
export interface MovableClock extends Clock {
  /** Milliseconds that it is ahead of the machine's. */
  readonly ahead: number;
  /** Puts it forward; timers that come due by that fire, in the order of their due times. @throws RangeError backwards */
  advance(ms: number): void;
}

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
  cancel: Cancel;
}

export function movableClock(machine: Clock, aheadAtFirst: number): MovableClock {
  let ahead = aheadAtFirst;
  const timers = new Set<Timer>();
  const monotonic = () => machine.monotonic() + ahead;

  function arm(timer: Timer): void {
    timer.cancel = machine.after(timer.dueAt - monotonic(), () => {
      timers.delete(timer);
      timer.callback();
    });
  }

  return {
    now: () => machine.now() + ahead,
    monotonic,
    get ahead() {
      return ahead;
    },
    after(ms, callback) {
      const timer: Timer = { dueAt: monotonic() + Math.max(0, ms), callback, cancel: () => undefined };
      timers.add(timer);
      arm(timer);
      return () => {
        timers.delete(timer);
        timer.cancel();
      };
    },
    advance(ms) {
      if (!(ms >= 0)) throw new RangeError('time only goes forward');
      ahead += ms;
      // Those that are overdue are armed for now; the machine's timers of one time fire in the order they were set.
      for (const timer of [...timers].sort((one, other) => one.dueAt - other.dueAt)) {
        timer.cancel();
        arm(timer);
      }
    },
  };
}
