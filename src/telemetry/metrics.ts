/** The metrics that count events as they happen. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Upper bounds of the histogram of responses, in seconds. */
const RESPONSE_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** Seconds, up to the default time limit of a handler. */
const HANDLER_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Bytes. */
const BODY_BUCKETS = [256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576];

/** Creates the `portaria_` metrics that count events as they happen, and registers them. Call it once per registry. */
export function createMetrics(registry: Registry) {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]): Counter<L> =>
    new Counter({ name: `portaria_${name}`, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
    new Histogram<L>({ name: `portaria_${name}`, help, labelNames, buckets, registers });

  return {
    webhooks: counter(
      'webhooks_total',
      'Webhooks with a response, by result and status, and requests to unknown paths; 401 also by reason.',
      'source',
      'result',
      'status',
      'reason',
    ),
    webhookSeconds: histogram(
      'webhook_duration_seconds',
      'Time from a webhook request to its response.',
      RESPONSE_BUCKETS,
      'status',
    ),
    webhookBytes: histogram('webhook_body_bytes', 'Size of webhook bodies.', BODY_BUCKETS),
    events: counter('events_total', 'Events stored, by kind and result.', 'kind', 'result'),
    observed: counter(
      'webhooks_observed_total',
      'Webhooks of observed sources, by the scheme or known sender that they pass, or none.',
      'source',
      'scheme',
      'result',
    ),
    conflicts: counter('webhook_conflicts_total', 'Message ids reused with different content.', 'source'),
    deliveries: counter('deliveries_total', 'Deliveries that ended, by result.', 'handler', 'result'),
    retries: counter('delivery_retries_total', 'Failed attempts that will be retried.', 'handler'),
    releases: counter(
      'delivery_releases_total',
      'Deliveries released unfinished; the attempt does not count.',
      'handler',
    ),
    rateDeferred: counter(
      'rate_deferred_total',
      'Deliveries that had to wait for the rate of their handler.',
      'handler',
    ),
    handlerSeconds: histogram(
      'handler_duration_seconds',
      'Duration of an attempt.',
      HANDLER_BUCKETS,
      'handler',
      'result',
    ),
    breaker: new Gauge({
      name: 'portaria_breaker_state',
      help: 'Circuit breaker of a handler: 0 closed, 1 probing with one event, 2 open.',
      labelNames: ['handler'],
      registers,
    }),
    anomalies: counter('anomalies_total', 'Impossible transitions found by machines.', 'machine'),
    resolved: counter(
      'events_resolved_total',
      'Ambiguous events checked with the provider, by resolution.',
      'resolution',
    ),
    drifts: counter(
      'provider_drift_total',
      'Fields of provider responses that differ from the contract.',
      'operation',
    ),
    operatorActions: counter(
      'operator_actions_total',
      'Changes, unmasked reads and rejected requests at the private port.',
      'action',
      'result',
    ),
    auditFailures: counter('audit_failures_total', 'Actions that the audit could not record.'),
    recovered: counter('deliveries_recovered_total', 'Deliveries interrupted by a crash and run again.'),
    leasesLost: counter('leases_lost_total', 'Leases of this process that others have ended.'),
    alerts: counter('alerts_total', 'Attempts to send an alert, by result.', 'result'),
    watchFailures: counter('watch_failures_total', 'Looks for problems that failed.'),
    retentionFailures: counter('retention_failures_total', 'Failed runs of retention.'),
    dispatchFailures: counter('dispatch_failures_total', 'Store failures during dispatch.'),
  };
}
