/** Counts webhooks and deliveries in memory. */
import type { Clock } from '../kernel/time/clock.ts';
import { durationBucket, type HandlerActivity, type UnwrittenActivity } from '../store/activity.ts';
import type { TelemetryEvents, TelemetrySubscriber } from '../telemetry/telemetry.ts';

/** What happened since the last call of `take`: numbers only, so that a flood of webhooks costs no memory. */
export interface ActivityCounts {
  readonly report: TelemetrySubscriber;
  /** Returns the counts, and starts again from 0. */
  take(): UnwrittenActivity;
  /** Returns the counts, which go on. */
  peek(): UnwrittenActivity;
}

interface HandlerCounts {
  succeeded: number;
  failed: number;
  dead: number;
  skipped: number;
  readonly durations: Map<number, number>;
}

/** Counts in memory what telemetry reports: nothing is written for an event. */
export function createActivityCounts(clock: Pick<Clock, 'monotonic'>): ActivityCounts {
  let received = 0;
  let handlers = new Map<string, HandlerCounts>();
  /** Since when breakers are open, or since the last `take`. */
  const openSince = new Map<string, number>();
  let breakerMs = new Map<string, number>();

  function countsOf(handler: string): HandlerCounts {
    let counts = handlers.get(handler);
    if (counts === undefined) {
      counts = { succeeded: 0, failed: 0, dead: 0, skipped: 0, durations: new Map() };
      handlers.set(handler, counts);
    }
    return counts;
  }

  function attempt(handler: string, durationMs: number): HandlerCounts {
    const counts = countsOf(handler);
    const bucket = durationBucket(durationMs);
    counts.durations.set(bucket, (counts.durations.get(bucket) ?? 0) + 1);
    return counts;
  }

  function countOpen(handler: string): void {
    const since = openSince.get(handler);
    if (since === undefined) return;
    breakerMs.set(handler, (breakerMs.get(handler) ?? 0) + clock.monotonic() - since);
    openSince.set(handler, clock.monotonic());
  }

  const counters: { readonly [N in keyof TelemetryEvents]?: (fields: TelemetryEvents[N]) => void } = {
    'webhook.responded'({ status, id }) {
      // Pings and handshakes have no id.
      if (status < 300 && id !== null) received += 1;
    },
    'delivery.succeeded'({ handler, durationMs }) {
      attempt(handler, durationMs).succeeded += 1;
    },
    'delivery.retrying'({ handler, durationMs }) {
      attempt(handler, durationMs).failed += 1;
    },
    'delivery.dead'({ handler, durationMs }) {
      const counts = attempt(handler, durationMs);
      counts.failed += 1;
      counts.dead += 1;
    },
    'delivery.skipped'({ handler }) {
      countsOf(handler).skipped += 1;
    },
    'deliveries.superseded'({ handler, deliveries }) {
      countsOf(handler).skipped += deliveries;
    },
    'breaker.opened'({ handler }) {
      if (!openSince.has(handler)) openSince.set(handler, clock.monotonic());
    },
    'breaker.closed'({ handler }) {
      countOpen(handler);
      openSince.delete(handler);
    },
  };

  function peek(): UnwrittenActivity {
    for (const handler of openSince.keys()) countOpen(handler);
    const names = [...new Set([...handlers.keys(), ...breakerMs.keys()])];
    const counted = names.map((handler): HandlerActivity => {
      const { durations, ...counts } = countsOf(handler);
      return {
        handler,
        ...counts,
        breakerMs: Math.round(breakerMs.get(handler) ?? 0),
        durations: [...durations],
      };
    });
    return { received, handlers: counted };
  }

  return {
    report(name, fields) {
      counters[name]?.(fields);
    },
    peek,
    take() {
      const result = peek();
      received = 0;
      handlers = new Map();
      breakerMs = new Map();
      return result;
    },
  };
}
