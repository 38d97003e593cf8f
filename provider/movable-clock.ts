import type { Cancel, Clock } from '../src/kernel/time/clock.ts';

/** A clock that runs at an offset to the machine's, and can be advanced. */
export interface MovableClock extends Clock {
  /** Offset to the machine's clock, in milliseconds. */
  readonly ahead: number;
  /** Advances the clock. Timers that become due fire in the order of their due times. @throws RangeError below 0 */
  advance(ms: number): void;
}

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
  cancel: Cancel;
}

/** @param initialOffset milliseconds that the clock starts ahead of the machine's. */
export function movableClock(machine: Clock, initialOffset: number): MovableClock {
  let ahead = initialOffset;
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
      if (!(ms >= 0)) throw new RangeError('the clock cannot go back');
      ahead += ms;
      // Overdue timers are set for now, in order: the machine fires timers of one time in the order of setting.
      for (const timer of [...timers].sort((one, other) => one.dueAt - other.dueAt)) {
        timer.cancel();
        arm(timer);
      }
    },
  };
}
