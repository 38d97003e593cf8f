/** Counts telemetry events in metrics. */
import type { Registry } from 'prom-client';
import type { Contract } from '../contract/contract.ts';
import { createMetrics } from './metrics.ts';
import type { DeliveryFields, TelemetryEvents, TelemetryName, TelemetrySubscriber } from './telemetry.ts';

/** Results of webhooks that stored an event. */
const stored: ReadonlySet<string> = new Set(['accepted', 'stale', 'unrecognized']);

/** Counts telemetry events in the `portaria_` metrics of a registry. */
export function createMetricsSubscriber(registry: Registry, contract: Contract): TelemetrySubscriber {
  const metrics = createMetrics(registry);

  const countEnded =
    (result: 'succeeded' | 'skipped' | 'dead') =>
    ({ handler, durationMs }: DeliveryFields & { readonly durationMs: number }): void => {
      metrics.deliveries.inc({ handler, result });
      metrics.handlerSeconds.observe({ handler, result }, durationMs / 1000);
    };

  const counts: { readonly [N in TelemetryName]: (fields: TelemetryEvents[N]) => void } = {
    'webhook.responded': ({ source, status, result, notVerified, kind, bytes, durationMs }) => {
      metrics.webhooks.inc({
        source,
        result,
        status,
        ...(notVerified && { reason: notVerified.reason }),
      });
      metrics.webhookSeconds.observe({ status }, durationMs / 1000);
      metrics.webhookBytes.observe(bytes);
      if (stored.has(result)) metrics.events.inc({ kind: kindLabel(contract, source, kind), result });
    },
    // Counted with its response.
    'webhook.failed': () => undefined,
    'webhook.observed': (fields) => {
      metrics.observed.inc({ ...fields });
    },
    'webhook.conflict': ({ source }) => {
      metrics.conflicts.inc({ source });
    },
    // Counted in the store, which also knows what other processes dropped.
    'quarantine.dropped': () => undefined,
    // Counted with the response to its webhook.
    'event.stored': () => undefined,
    // A gauge reads running deliveries from the store.
    'delivery.started': () => undefined,
    'delivery.succeeded': countEnded('succeeded'),
    'delivery.skipped': countEnded('skipped'),
    'deliveries.superseded': ({ handler, deliveries }) => {
      metrics.deliveries.inc({ handler, result: 'skipped' }, deliveries);
    },
    'delivery.dead': countEnded('dead'),
    'delivery.retrying': ({ handler, durationMs }) => {
      metrics.retries.inc({ handler });
      metrics.handlerSeconds.observe({ handler, result: 'retrying' }, durationMs / 1000);
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
    'rate.deferred': ({ handler }) => {
      metrics.rateDeferred.inc({ handler });
    },
    // A gauge reads closed buckets from the store, which also knows what other processes closed.
    'rate.closed': () => undefined,
    'dispatch.released': ({ handler, deliveries }) => {
      metrics.releases.inc({ handler }, deliveries);
    },
    'dispatch.recovered': ({ deliveries }) => {
      metrics.recovered.inc(deliveries);
    },
    // The process ends.
    'process.stalled': () => undefined,
    'lease.lost': () => {
      metrics.leasesLost.inc();
    },
    'provider.drift': ({ operation }) => {
      metrics.drifts.inc({ operation });
    },
    'operator.acted': ({ action, result }) => {
      metrics.operatorActions.inc({ action, result });
    },
    'audit.failed': () => {
      metrics.auditFailures.inc();
    },
    // Gauges read the problems from the last look.
    'problem.began': () => undefined,
    'problem.ended': () => undefined,
    'alert.sent': () => {
      metrics.alerts.inc({ result: 'sent' });
    },
    'alert.failed': () => {
      metrics.alerts.inc({ result: 'failed' });
    },
    'watch.failed': () => {
      metrics.watchFailures.inc();
    },
    // A gauge tells whether the store can be written; refused webhooks are counted with their responses.
    'store.back': () => undefined,
    // A late one is a problem, which has a gauge.
    'backup.made': () => undefined,
    'backup.failed': () => undefined,
    // Counted in the store, which also knows what other processes pruned.
    'reconcile.looked': () => undefined,
    'reconcile.repaired': () => undefined,
    'reconcile.failed': () => undefined,
    'retention.ran': () => undefined,
    'retention.failed': () => {
      metrics.retentionFailures.inc();
    },
    'dispatch.failed': () => {
      metrics.dispatchFailures.inc();
    },
  };

  return (name, fields) => {
    counts[name](fields);
  };
}

/** Each label value is a time series forever, so all kinds outside the contract share one. */
function kindLabel(contract: Contract, source: string, kind: string | null): string {
  if (kind === null) return 'none';
  return contract.find(source, kind) === undefined ? 'unrecognized' : kind;
}
