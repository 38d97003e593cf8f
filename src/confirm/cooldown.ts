/** Suspends calls to a provider that does not respond. */
import type { Clock } from '../kernel/time/clock.ts';

/** Milliseconds without a call after the provider failed. */
const COOLDOWN_MS = 60_000;

/**
 * Suspends calls to a provider that does not respond. After a minute it allows
 * a single probe, and further calls only when the probe has succeeded.
 */
export interface Cooldown {
  /** Reports whether a call may be made now. */
  allowsCall(): boolean;
  /** Records that the provider did not respond. */
  start(): void;
  /** Records that the provider responded. */
  end(): void;
}

export function createCooldown(clock: Pick<Clock, 'monotonic'>): Cooldown {
  /** Null while the provider responds. */
  let probeAt: number | null = null;
  const start = (): void => {
    probeAt = clock.monotonic() + COOLDOWN_MS;
  };
  return {
    allowsCall() {
      if (probeAt === null) return true;
      if (clock.monotonic() < probeAt) return false;
      start();
      return true;
    },
    start,
    end() {
      probeAt = null;
    },
  };
}
