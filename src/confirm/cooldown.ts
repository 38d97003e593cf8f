/** The pause after the provider has failed, which all that ask its API by themselves share. */
import { retryAfterMs } from '../kernel/http/retry-after.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../kernel/time/durations.ts';

/** Milliseconds without a call after the provider failed. */
const COOLDOWN_MS = MINUTE_MS;

/** The longest `Retry-After` that is obeyed, in milliseconds. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/**
 * Suspends calls to a provider that does not respond. After a minute, or its `Retry-After`, it allows
 * a single probe, and further calls only when the probe has succeeded.
 */
export interface Cooldown {
  /** Reports whether a call may be made now. */
  allowsCall(): boolean;
  /** Milliseconds until a call may be made. */
  waitMs(): number;
  /** Records that the provider did not respond, and for how long it wants no call. */
  start(ms?: number): void;
  /** Records that the provider responded. */
  end(): void;
}

export function createCooldown(clock: Pick<Clock, 'monotonic'>): Cooldown {
  /** Null while the provider responds. */
  let probeAt: number | null = null;
  const start = (ms = 0): void => {
    probeAt = clock.monotonic() + Math.max(COOLDOWN_MS, ms);
  };
  return {
    allowsCall() {
      if (probeAt === null) return true;
      if (clock.monotonic() < probeAt) return false;
      start();
      return true;
    },
    waitMs: () => Math.max(0, (probeAt ?? -Infinity) - clock.monotonic()),
    start,
    end() {
      probeAt = null;
    },
  };
}

/** Notes what responses say of the provider: 429 and 5xx start the pause, any other one ends it. */
export function noteResponse(
  cooldown: Cooldown,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  now: number,
): void {
  if (status !== TOO_MANY_REQUESTS && status < SERVER_ERROR) cooldown.end();
  else cooldown.start(retryAfterMs(headers.get('retry-after'), now, MAX_RETRY_AFTER_MS) ?? 0);
}
