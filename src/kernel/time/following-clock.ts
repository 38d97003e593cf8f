/** A clock that follows another one. */
import type { Clock } from './clock.ts';

/** What another clock showed, and when this machine's monotonic clock asked for it and had the answer. */
export interface ClockReading {
  /** Milliseconds since 1970 by the other clock. */
  readonly time: number;
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** A clock that goes by another one, which several machines share. */
export interface FollowingClock extends Clock {
  /**
   * Takes over the other clock's time, half the round trip taken off. A difference that the round trip may explain,
   * or of a second or less, changes nothing.
   *
   * Returns milliseconds by which the machine's own clock is ahead when they are not those of the last report.
   */
  follow(reading: ClockReading): number | null;
  /** The machine's own clock. */
  readonly machine: Clock;
}

/** The largest difference to ignore, in milliseconds: clocks of machines always differ a little. */
const IGNORED_MS = 1_000;

/** Milliseconds by which a time that another process has signed may be ahead: both clocks may differ a little. */
export const AHEAD_MS = 5_000;

/**
 * Returns a clock that is the machine's own until it follows another one. From then on the monotonic clock alone
 * moves it, so a jump of the machine's wall clock changes nothing.
 */
export function createFollowingClock(machine: Clock): FollowingClock {
  let anchor: { readonly time: number; readonly monotonic: number } | undefined;
  let reported = 0;

  function now(): number {
    if (anchor === undefined) return machine.now();
    return Math.trunc(anchor.time + machine.monotonic() - anchor.monotonic);
  }

  return {
    machine,
    now,
    monotonic: () => machine.monotonic(),
    after: (ms, callback) => machine.after(ms, callback),
    follow({ time, askedAt, answeredAt }) {
      anchor ??= { time: machine.now(), monotonic: machine.monotonic() };
      const ignored = IGNORED_MS + (answeredAt - askedAt) / 2;
      const shown = time + machine.monotonic() - (askedAt + answeredAt) / 2;
      if (Math.abs(now() - shown) > ignored) anchor = { time: shown, monotonic: machine.monotonic() };
      const ahead = Math.round(machine.now() - shown);
      if (Math.abs(ahead - reported) <= ignored) return null;
      reported = Math.abs(ahead) <= ignored ? 0 : ahead;
      return reported;
    },
  };
}

export function isFollowing(clock: Clock): clock is FollowingClock {
  return 'follow' in clock;
}
