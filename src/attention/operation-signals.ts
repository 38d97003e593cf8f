/** Collects what telemetry says of problems. */
import { HOUR_MS } from '../kernel/time/durations.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { RejectionCount } from '../store/monitoring.ts';
import type { TelemetryEvents, TelemetrySubscriber } from '../telemetry/telemetry.ts';

const NOT_VERIFIED = 401;
const UNAVAILABLE = 503;

/** Counts of telemetry between two checks: only numbers, so that a flood of webhooks costs no memory. */
export interface OperationSignals {
  readonly report: TelemetrySubscriber;
  /** Returns the rejections since the last call, by source and hour, and starts again from 0. */
  takeRejections(): readonly RejectionCount[];
  /** Returns how many webhooks the store has made refuse since the last call, and starts again from 0. */
  takeRefused(): number;
  /** Calls back whenever a breaker opens, closes or probes; replaces an earlier callback. */
  onBreakerChange(callback: () => void): void;
}

export function createOperationSignals(clock: Clock): OperationSignals {
  let rejections = new Map<string, RejectionCount>();
  let refused = 0;
  let breakerChanged: () => void = () => undefined;

  function count({ source, notVerified }: TelemetryEvents['webhook.responded']): void {
    const hour = Math.floor(clock.now() / HOUR_MS);
    const key = `${String(hour)} ${source}`;
    rejections.set(key, {
      source,
      hour,
      rejections: (rejections.get(key)?.rejections ?? 0) + 1,
      lastReason: notVerified?.reason ?? null,
      clockSeconds: notVerified?.clockSeconds ?? null,
    });
  }

  return {
    report(name, fields) {
      // Only configured sources get this status: the sender of any other path gets 404.
      if (name === 'webhook.responded' && 'status' in fields && 'source' in fields) {
        if (fields.status === NOT_VERIFIED) count(fields);
        if (fields.status === UNAVAILABLE && fields.result.startsWith('store-')) refused += 1;
      } else if (name === 'breaker.opened' || name === 'breaker.closed') breakerChanged();
    },
    takeRejections() {
      const taken = [...rejections.values()];
      rejections = new Map();
      return taken;
    },
    takeRefused() {
      const taken = refused;
      refused = 0;
      return taken;
    },
    onBreakerChange(callback) {
      breakerChanged = callback;
    },
  };
}
