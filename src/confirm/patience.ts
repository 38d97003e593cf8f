import type { Clock } from '../kernel/time/clock.ts';

/** How long a provider that does not answer is left alone, in milliseconds. */
const PAUSE_MS = 60_000;

/**
 * Whether a provider is asked at all. One that does not answer is left alone
 * for a minute; then one question finds out whether it does again, and the
 * others do without until that has an answer.
 */
export interface Patience {
  /** Asked before every question. */
  allows(): boolean;
  lose(): void;
  regain(): void;
}

export function createPatience(clock: Pick<Clock, 'monotonic'>): Patience {
  /** Null while it answers. */
  let askAgainAt: number | null = null;
  const lose = (): void => {
    askAgainAt = clock.monotonic() + PAUSE_MS;
  };
  return {
    allows() {
      if (askAgainAt === null) return true;
      if (clock.monotonic() < askAgainAt) return false;
      lose();
      return true;
    },
    lose,
    regain() {
      askAgainAt = null;
    },
  };
}
