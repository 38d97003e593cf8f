import { Registry } from 'prom-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMetricsSubscriber } from './metrics-subscriber.ts';
import type { TelemetrySubscriber } from './telemetry.ts';
import { specification } from '../contract/specification.ts';

let registry: Registry;
let report: TelemetrySubscriber;

beforeEach(() => {
  registry = new Registry();
  report = createMetricsSubscriber(registry, specification);
});

const delivery = {
  delivery: 'd1',
  event: 'k3m9p2-1',
  handler: 'billing',
  kind: 'charge.updated',
  attempt: 1,
  replay: false,
  durationMs: 250,
  reason: 'because',
};
const response = {
  source: 'default',
  status: 202,
  result: 'accepted',
  kind: 'charge.updated',
  id: 'k3m9p2-1',
  bytes: 800,
  durationMs: 4,
};

/** The samples of a metric in the Prometheus text format. */
async function samples(name: string): Promise<readonly string[]> {
  return (await registry.getSingleMetricAsString(`portaria_${name}`))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

describe('metrics', () => {
  it('count webhooks by source, result and status, in seconds and bytes', async () => {
    report('webhook.responded', response);
    report('webhook.responded', { ...response, status: 200, result: 'duplicate' });
    expect(await samples('webhooks_total')).toEqual([
      'portaria_webhooks_total{source="default",result="accepted",status="202"} 1',
      'portaria_webhooks_total{source="default",result="duplicate",status="200"} 1',
    ]);
    expect(await samples('webhook_duration_seconds')).toContain(
      'portaria_webhook_duration_seconds_sum{status="202"} 0.004',
    );
    expect(await samples('webhook_body_bytes')).toContain('portaria_webhook_body_bytes_sum 1600');
  });

  it('count failed verifications by reason', async () => {
    const notVerified = { reason: 'too-old', detail: 'too old: by 412 seconds', clockSeconds: 412 };
    report('webhook.responded', { ...response, status: 401, result: 'not-verified', notVerified });
    expect(await samples('webhooks_total')).toEqual([
      'portaria_webhooks_total{source="default",result="not-verified",status="401",reason="too-old"} 1',
    ]);
  });

  it('count stored events by kind, and no others', async () => {
    report('webhook.responded', response);
    report('webhook.responded', { ...response, result: 'stale' });
    report('webhook.responded', { ...response, result: 'duplicate', status: 200 });
    report('webhook.responded', { ...response, result: 'quarantined', status: 422 });
    expect(await samples('events_total')).toEqual([
      'portaria_events_total{kind="charge.updated",result="accepted"} 1',
      'portaria_events_total{kind="charge.updated",result="stale"} 1',
    ]);
  });

  it('have one series for all unknown kinds', async () => {
    for (let at = 0; at < 50; at += 1) {
      report('webhook.responded', { ...response, kind: `made.up.${String(at)}`, result: 'unrecognized' });
    }
    expect(await samples('events_total')).toEqual([
      'portaria_events_total{kind="unrecognized",result="unrecognized"} 50',
    ]);
  });

  it('count deliveries by result, and retries, releases and waits for a rate apart', async () => {
    report('delivery.started', delivery);
    report('delivery.retrying', { ...delivery, waitMs: 1000 });
    report('delivery.succeeded', delivery);
    report('delivery.skipped', delivery);
    report('deliveries.superseded', { handler: 'billing', deliveries: 4 });
    report('delivery.dead', delivery);
    report('delivery.released', delivery);
    report('dispatch.released', { handler: 'billing', deliveries: 3, reason: 'stopping' });
    report('rate.deferred', { handler: 'billing' });
    expect(await samples('deliveries_total')).toEqual([
      'portaria_deliveries_total{handler="billing",result="succeeded"} 1',
      'portaria_deliveries_total{handler="billing",result="skipped"} 5',
      'portaria_deliveries_total{handler="billing",result="dead"} 1',
    ]);
    expect(await samples('delivery_retries_total')).toEqual([
      'portaria_delivery_retries_total{handler="billing"} 1',
    ]);
    expect(await samples('delivery_releases_total')).toEqual([
      'portaria_delivery_releases_total{handler="billing"} 4',
    ]);
    expect(await samples('rate_deferred_total')).toEqual([
      'portaria_rate_deferred_total{handler="billing"} 1',
    ]);
    expect(await samples('handler_duration_seconds')).toContain(
      'portaria_handler_duration_seconds_sum{handler="billing",result="retrying"} 0.25',
    );
  });

  it('show the state of a circuit breaker', async () => {
    const state = async () => (await samples('breaker_state'))[0];
    report('breaker.opened', { handler: 'billing', openMs: 1000, reason: 'down' });
    expect(await state()).toBe('portaria_breaker_state{handler="billing"} 2');
    report('breaker.probing', { handler: 'billing' });
    expect(await state()).toBe('portaria_breaker_state{handler="billing"} 1');
    report('breaker.closed', { handler: 'billing' });
    expect(await state()).toBe('portaria_breaker_state{handler="billing"} 0');
  });

  it('count anomalies, conflicts, drift, resolved events, recovered deliveries, lost leases and store failures', async () => {
    report('machine.anomaly', { machine: 'slip', subject: 'charge:1', event: 'k3m9p2-1', message: 'odd' });
    report('webhook.conflict', { source: 'default', id: 'k3m9p2-1', quarantineId: 'q1' });
    report('dispatch.recovered', { deliveries: 3 });
    report('lease.lost', { attempts: 2 });
    report('dispatch.failed', { reason: 'disk' });
    report('event.resolved', {
      event: 'k3m9p2-1',
      kind: 'charge.updated',
      resolution: 'confirmed',
      reason: null,
    });
    report('provider.drift', { operation: 'readUser', path: 'response.data.id', message: 'expected' });
    expect(await samples('anomalies_total')).toEqual(['portaria_anomalies_total{machine="slip"} 1']);
    expect(await samples('webhook_conflicts_total')).toEqual([
      'portaria_webhook_conflicts_total{source="default"} 1',
    ]);
    expect(await samples('deliveries_recovered_total')).toEqual(['portaria_deliveries_recovered_total 3']);
    expect(await samples('leases_lost_total')).toEqual(['portaria_leases_lost_total 1']);
    expect(await samples('events_resolved_total')).toEqual([
      'portaria_events_resolved_total{resolution="confirmed"} 1',
    ]);
    expect(await samples('provider_drift_total')).toEqual([
      'portaria_provider_drift_total{operation="readUser"} 1',
    ]);
    expect(await samples('dispatch_failures_total')).toEqual(['portaria_dispatch_failures_total 1']);
  });

  it('never contain subjects, ids or reasons', async () => {
    report('webhook.responded', response);
    report('delivery.dead', { ...delivery, reason: 'no user ana@example.com' });
    report('machine.anomaly', { machine: 'slip', subject: 'charge:4711', event: 'k3m9p2-1', message: 'odd' });
    const text = await registry.metrics();
    for (const word of ['k3m9p2', '4711', 'ana@', 'because', 'odd']) expect(text).not.toContain(word);
  });
});
