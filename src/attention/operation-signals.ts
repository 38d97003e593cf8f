/** Collects what telemetry says of problems. */
import { HOUR_MS } from '../kernel/time/durations.ts';
import { printableLine } from '../kernel/text/printable.ts';
import { scrub } from '../kernel/text/scrub.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { ObservedCount, RejectionCount } from '../store/monitoring.ts';
import { isNoAddress } from './rejections.ts';
import type { TelemetryEvents, TelemetrySubscriber } from '../telemetry/telemetry.ts';

const NOT_VERIFIED = 401;
const UNAVAILABLE = 503;

/** Paths that are told apart in an hour: anybody may invent a thousand. */
const MAX_PATHS = 20;
const MAX_PATH = 100;

/** Counts of telemetry between two checks: only numbers, so that a flood of webhooks costs no memory. */
export interface OperationSignals {
  readonly report: TelemetrySubscriber;
  /** Returns the rejections since the last call, by source and hour, and starts again from 0. */
  takeRejections(): readonly RejectionCount[];
  /** Returns what observed sources have sent since the last call, and starts again from 0. */
  takeObserved(): readonly ObservedCount[];
  /** Returns how many webhooks the store has made refuse since the last call, and starts again from 0. */
  takeRefused(): number;
  /** Calls back whenever a breaker opens, closes or probes; replaces an earlier callback. */
  onBreakerChange(callback: () => void): void;
}

/** Of one source and hour. The most frequent reason is told: anybody may send one webhook with another. */
interface Rejections extends Pick<RejectionCount, 'source' | 'hour'> {
  readonly reasons: Map<string | null, { readonly times: number; readonly clockSeconds: number | null }>;
}

export function createOperationSignals(clock: Clock): OperationSignals {
  let rejections = new Map<string, Rejections>();
  let observed = new Map<string, ObservedCount>();
  let refused = 0;
  let breakerChanged: () => void = () => undefined;

  const paths = { hour: 0, known: new Set<string>() };

  /** The path of a webhook to no address, which says more than that its source is unknown. */
  function placeOf({ source, path }: TelemetryEvents['webhook.responded'], hour: number): string {
    if (path === undefined) return source;
    if (paths.hour !== hour) Object.assign(paths, { hour, known: new Set() });
    const shown = printableLine(scrub(path.slice(0, MAX_PATH)));
    if (paths.known.size >= MAX_PATHS && !paths.known.has(shown)) return source;
    paths.known.add(shown);
    return shown;
  }

  function count(webhook: TelemetryEvents['webhook.responded']): void {
    const { result, notVerified } = webhook;
    const hour = Math.floor(clock.now() / HOUR_MS);
    const source = placeOf(webhook, hour);
    const key = `${String(hour)} ${source}`;
    const { reasons }: Pick<Rejections, 'reasons'> = rejections.get(key) ?? { reasons: new Map() };
    const reason = notVerified?.reason ?? (isNoAddress(result) ? result : null);
    const times = (reasons.get(reason)?.times ?? 0) + 1;
    reasons.set(reason, { times, clockSeconds: notVerified?.clockSeconds ?? null });
    rejections.set(key, { source, hour, reasons });
  }

  function countObserved({ source, scheme }: TelemetryEvents['webhook.observed']): void {
    const hour = Math.floor(clock.now() / HOUR_MS);
    const key = `${String(hour)} ${source} ${scheme}`;
    observed.set(key, { hour, source, scheme, webhooks: (observed.get(key)?.webhooks ?? 0) + 1 });
  }

  return {
    report(name, fields) {
      if (name === 'webhook.responded' && 'status' in fields && 'source' in fields) {
        if (fields.status === NOT_VERIFIED || isMissed(fields)) count(fields);
        if (fields.status === UNAVAILABLE && fields.result.startsWith('store-')) refused += 1;
      } else if (name === 'webhook.observed') countObserved(fields as TelemetryEvents['webhook.observed']);
      else if (name === 'breaker.opened' || name === 'breaker.closed') breakerChanged();
    },
    takeRejections() {
      const taken = [...rejections.values()].map(({ reasons, ...one }) => {
        const all = [...reasons].toSorted(([, a], [, b]) => b.times - a.times);
        const [[lastReason, { clockSeconds }] = [null, { clockSeconds: null }]] = all;
        return {
          ...one,
          rejections: all.reduce((sum, [, { times }]) => sum + times, 0),
          lastReason,
          clockSeconds,
        };
      });
      rejections = new Map();
      return taken;
    },
    takeObserved() {
      const taken = [...observed.values()];
      observed = new Map();
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

/** Browsers and probes read addresses that are none; only a webhook to one is missed. */
function isMissed({ result, method = 'POST' }: TelemetryEvents['webhook.responded']): boolean {
  return method === 'POST' && isNoAddress(result);
}
