import { Counter, Gauge, type Registry } from 'prom-client';
import { TalliedCounter } from './tallied-counter.ts';
import { TalliedHistogram } from './tallied-histogram.ts';

/** From an answer out of memory to a handler at its timeout; seconds. */
const ANSWER_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const HANDLER_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const BODY_BYTES = [256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576];

/** What is counted as it happens. Seconds and bytes are the units. */
export interface Metrics {
  readonly webhooks: TalliedCounter<'source' | 'result' | 'status'>;
  readonly webhookSeconds: TalliedHistogram<'status'>;
  readonly webhookBytes: TalliedHistogram<never>;
  readonly events: TalliedCounter<'kind' | 'result'>;
  readonly conflicts: Counter<'source'>;
  readonly deliveries: TalliedCounter<'handler' | 'result'>;
  readonly retries: Counter<'handler'>;
  readonly releases: Counter<'handler'>;
  readonly handlerSeconds: TalliedHistogram<'handler' | 'result'>;
  readonly breaker: Gauge<'handler'>;
  readonly anomalies: Counter<'machine'>;
  readonly resolved: Counter<'resolution'>;
  readonly drifts: Counter<'operation'>;
  readonly operatorActions: Counter<'action' | 'result'>;
  readonly recovered: Counter;
  readonly dispatchFailures: Counter;
}

/** Registers them. One registry takes them once. */
export function createMetrics(registry: Registry): Metrics {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]): Counter<L> =>
    new Counter({ name: `portaria_${name}`, help, labelNames, registers });
  const tallied = <L extends string>(name: string, help: string, ...labelNames: L[]): TalliedCounter<L> =>
    new TalliedCounter({ name: `portaria_${name}`, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]): Gauge<L> =>
    new Gauge({ name: `portaria_${name}`, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
    new TalliedHistogram<L>({ name: `portaria_${name}`, help, labelNames, buckets, registers });

  return {
    webhooks: tallied('webhooks_total', 'Webhooks answered.', 'source', 'result', 'status'),
    webhookSeconds: histogram(
      'webhook_duration_seconds',
      'Time from the request to its answer.',
      ANSWER_SECONDS,
      'status',
    ),
    webhookBytes: histogram('webhook_body_bytes', 'Size of webhook bodies.', BODY_BYTES),
    events: tallied('events_total', 'Events stored, by kind and what they were answered.', 'kind', 'result'),
    conflicts: counter('webhook_conflicts_total', 'Message ids used again for another content.', 'source'),
    deliveries: tallied('deliveries_total', 'Deliveries that ended for good.', 'handler', 'result'),
    retries: counter('delivery_retries_total', 'Failed tries that are tried again.', 'handler'),
    releases: counter('delivery_hand_backs_total', 'Deliveries given back unfinished.', 'handler'),
    handlerSeconds: histogram(
      'handler_duration_seconds',
      'Time of one try.',
      HANDLER_SECONDS,
      'handler',
      'result',
    ),
    breaker: gauge('breaker_state', 'Of a handler: 0 runs, 1 tried with one event, 2 paused.', 'handler'),
    anomalies: counter('anomalies_total', 'Impossible moves found by machines.', 'machine'),
    resolved: counter('events_resolved_total', 'Ambiguous events that were asked about.', 'resolution'),
    drifts: counter(
      'provider_drift_total',
      "Places in the provider's answers that are not as the contract says.",
      'operation',
    ),
    operatorActions: counter(
      'operator_actions_total',
      'Changes, unmasked reads and refusals at the private port.',
      'action',
      'result',
    ),
    recovered: counter('deliveries_recovered_total', 'Deliveries that a crash left running.'),
    dispatchFailures: counter('dispatch_failures_total', 'Times the store failed under the dispatcher.'),
  };
}
