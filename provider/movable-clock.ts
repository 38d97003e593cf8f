/** A clock whose offset and speed can be changed. */
import type { Cancel, Clock } from '../src/kernel/time/clock.ts';

/** A clock that runs at an offset to the machine's. It can be advanced, sped up and stopped. */
export interface MovableClock extends Clock {
  /** Offset to the machine's clock, in milliseconds. It grows at a speed above 1 and falls below it. */
  readonly ahead: number;
  /** Seconds of this clock in a second of the machine: 1 at first, 0 while it is stopped. */
  readonly speed: number;
  /** Advances the clock. Timers that become due fire in the order of their due times. @throws RangeError below 0 */
  advance(ms: number): void;
  /** Changes the speed from now on. Timers keep their due times. @throws RangeError below 0 */
  setSpeed(speed: number): void;
}

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
  cancel: Cancel;
}

/** @param initialOffset milliseconds that the clock starts ahead of the machine's. */
export function movableClock(machine: Clock, initialOffset: number): MovableClock {
  /** The offset at the last change of the speed. */
  let offset = initialOffset;
  let speed = 1;
  let changedAt = machine.monotonic();
  const timers = new Set<Timer>();
  const ahead = () => offset + (speed - 1) * (machine.monotonic() - changedAt);
  const monotonic = () => machine.monotonic() + ahead();

  function arm(timer: Timer): void {
    const wait = Math.max(0, timer.dueAt - monotonic());
    timer.cancel = () => undefined;
    // On a stopped clock nothing becomes due until it is advanced.
    if (wait > 0 && speed === 0) return;
    timer.cancel = machine.after(wait === 0 ? 0 : wait / speed, () => {
      timers.delete(timer);
      timer.callback();
    });
  }

  /** Overdue timers are set for now, in order: the machine fires timers of one time in the order of setting. */
  function armAll(): void {
    for (const timer of [...timers].sort((one, other) => one.dueAt - other.dueAt)) {
      timer.cancel();
      arm(timer);
    }
  }

  return {
    now: () => Math.round(machine.now() + ahead()),
    monotonic,
    get ahead() {
      return Math.round(ahead());
    },
    get speed() {
      return speed;
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
      offset += ms;
      armAll();
    },
    setSpeed(next) {
      if (!(next >= 0)) throw new RangeError('the clock cannot run backwards');
      offset = ahead();
      changedAt = machine.monotonic();
      speed = next;
      armAll();
    },
  };
}
