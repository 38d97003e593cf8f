import type { Registry } from 'prom-client';
import { boundedKind } from './bounded-kind.ts';
import { createMetrics } from './metrics.ts';
import type { DeliveryFields, TelemetryEvents, TelemetryName, TelemetrySubscriber } from './telemetry.ts';

/** Results of webhooks that stored an event. */
const stored: ReadonlySet<string> = new Set(['accepted', 'stale', 'unrecognized']);

/** Counts what is reported into the registry's `portaria_` metrics. */
export function createMetricsSubscriber(registry: Registry): TelemetrySubscriber {
  const metrics = createMetrics(registry);

  const ended =
    (result: 'succeeded' | 'skipped' | 'dead') =>
    ({ handler, durationMs }: DeliveryFields & { readonly durationMs: number }): void => {
      metrics.deliveries.inc(handler, result);
      metrics.handlerSeconds.record(durationMs / 1000, handler, result);
    };

  const counts: { readonly [N in TelemetryName]: (fields: TelemetryEvents[N]) => void } = {
    'webhook.responded': ({ source, status, result, kind, bytes, durationMs }) => {
      // Whoever posts to an unknown source has chosen its name.
      const bounded = result === 'unknown-source' ? 'unknown' : source;
      metrics.webhooks.inc(bounded, result, status);
      metrics.webhookSeconds.record(durationMs / 1000, status);
      metrics.webhookBytes.record(bytes);
      if (stored.has(result)) metrics.events.inc(boundedKind(kind), result);
    },
    // The answer says so.
    'webhook.failed': () => undefined,
    'webhook.conflict': ({ source }) => {
      metrics.conflicts.inc({ source });
    },
    // Counted in the store, with what other processes dropped.
    'quarantine.dropped': () => undefined,
    // What runs is a gauge, read from the store.
    'delivery.started': () => undefined,
    'delivery.succeeded': ended('succeeded'),
    'delivery.skipped': ended('skipped'),
    'delivery.dead': ended('dead'),
    'delivery.retrying': ({ handler, durationMs }) => {
      metrics.retries.inc({ handler });
      metrics.handlerSeconds.record(durationMs / 1000, handler, 'retrying');
    },
    'delivery.released': ({ handler }) => {
      metrics.releases.inc({ handler });
    },
    'event.resolved': ({ resolution }) => {
      metrics.resolved.inc({ resolution });
    },
    'machine.anomaly': ({ machine }) => {
      metrics.anomalies.inc({ machine });
    },
    'breaker.opened': ({ handler }) => {
      metrics.breaker.set({ handler }, 2);
    },
    'breaker.probing': ({ handler }) => {
      metrics.breaker.set({ handler }, 1);
    },
    'breaker.closed': ({ handler }) => {
      metrics.breaker.set({ handler }, 0);
    },
    'dispatch.released': ({ handler, deliveries }) => {
      metrics.releases.inc({ handler }, deliveries);
    },
    'dispatch.recovered': ({ deliveries }) => {
      metrics.recovered.inc(deliveries);
    },
    'provider.drift': ({ operation }) => {
      metrics.drifts.inc({ operation });
    },
    'operator.acted': ({ action, result }) => {
      metrics.operatorActions.inc({ action, result });
    },
    'dispatch.failed': () => {
      metrics.dispatchFailures.inc();
    },
  };

  return (name, fields) => {
    counts[name](fields);
  };
}
