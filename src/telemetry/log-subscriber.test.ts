import { describe, expect, it } from 'vitest';
import { testContext } from '../testing/test-context.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createLogSubscriber } from './log-subscriber.ts';
import type { DeliveryFields, TelemetryEvents, TelemetryName } from './telemetry.ts';

const delivery: DeliveryFields = {
  delivery: 'd12',
  event: 'k3m9p2-7',
  handler: 'billing',
  kind: 'charge.updated',
  attempt: 3,
  replay: false,
};

const response = {
  source: 'default',
  status: 202,
  result: 'accepted',
  kind: 'charge.updated',
  id: 'k3m9p2-7',
  bytes: 812,
  durationMs: 1.23456,
};

const acted = {
  action: 'retryDeliveries',
  audit: null,
  unmasked: false,
  subject: { ids: 'd12, d13' },
  actor: 'token',
  address: '127.0.0.1',
  result: 'done',
  status: 200,
} as const;

const options = { clock: manualClock(), isVerified: (source: string) => source === 'default' };

function logOf<N extends TelemetryName>(name: N, fields: TelemetryEvents[N]) {
  const { log, logged } = testContext();
  createLogSubscriber(log, options).report(name, fields);
  expect(logged).toHaveLength(1);
  return logged[0];
}

describe('the log', () => {
  it('has a line for each response to a webhook', () => {
    expect(logOf('webhook.responded', response)).toEqual({
      level: 'info',
      message: 'webhook accepted: status 202',
      fields: {
        event_name: 'webhook.responded',
        source: 'default',
        kind: 'charge.updated',
        id: 'k3m9p2-7',
        result: 'accepted',
        status: 202,
        bytes: 812,
        duration_ms: 1.235,
      },
    });
  });

  it.each([
    [200, 'info'],
    [202, 'info'],
    [401, 'warn'],
    [422, 'warn'],
    [503, 'error'],
  ])('logs a response of status %i at level %s', (status, level) => {
    expect(logOf('webhook.responded', { ...response, status })?.level).toBe(level);
  });

  it('names the command that retries a dead delivery', () => {
    const line = logOf('delivery.dead', {
      ...delivery,
      durationMs: 12,
      reason: 'Error: the ledger is closed',
    });
    expect(line).toMatchObject({
      level: 'error',
      message:
        'charge.updated k3m9p2-7 for billing dead after attempt 3: Error: the ledger is closed; ' +
        'when the cause is fixed, run portaria deliveries retry d12',
    });
  });

  it('says that the lane of a dead delivery waits behind it', () => {
    const dead = { ...delivery, durationMs: 12, reason: 'Error: closed' };
    expect(logOf('delivery.dead', { ...dead, hold: true })).toMatchObject({
      fields: { hold: true },
      message:
        'charge.updated k3m9p2-7 for billing dead after attempt 3: Error: closed; its lane waits behind it; ' +
        'when the cause is fixed, run portaria deliveries retry d12',
    });
    expect(logOf('delivery.dead', { ...dead, hold: false })?.fields).not.toHaveProperty('hold');
  });

  it('says when a failed attempt is repeated', () => {
    const line = logOf('delivery.retrying', {
      ...delivery,
      durationMs: 12,
      waitMs: 8_420,
      reason: 'timeout',
    });
    expect(line).toMatchObject({
      level: 'warn',
      message: 'charge.updated k3m9p2-7 for billing attempt 3 failed, next attempt in 8.4 s: timeout',
    });
  });

  it.each([
    ['delivery.started', delivery, 'debug'],
    ['delivery.succeeded', { ...delivery, durationMs: 1 }, 'info'],
    ['delivery.skipped', { ...delivery, durationMs: 1, reason: 'not mine' }, 'info'],
    ['delivery.released', { ...delivery, reason: 'shutdown' }, 'debug'],
    ['deliveries.superseded', { handler: 'billing', deliveries: 3 }, 'info'],
    ['webhook.failed', { source: 'default', result: 'store-full', error: new Error('disk full') }, 'error'],
    ['webhook.conflict', { source: 'default', id: 'k3m9p2-7', quarantineId: 'q4' }, 'warn'],
    ['quarantine.dropped', { source: 'default', entries: 3 }, 'warn'],
    ['machine.anomaly', { machine: 'm', subject: 'charge:1', event: 'k3m9p2-7', message: 'odd' }, 'warn'],
    ['breaker.opened', { handler: 'billing', openMs: 4000, reason: 'down' }, 'error'],
    ['breaker.probing', { handler: 'billing' }, 'info'],
    ['breaker.closed', { handler: 'billing' }, 'info'],
    ['rate.deferred', { handler: 'billing' }, 'debug'],
    ['rate.closed', { handler: 'billing', bucket: 'billing', waitMs: 5_000 }, 'warn'],
    ['dispatch.released', { handler: 'billing', deliveries: 3, reason: 'stopping' }, 'debug'],
    ['dispatch.recovered', { deliveries: 3 }, 'warn'],
    ['lease.lost', { attempts: 2 }, 'warn'],
    [
      'event.resolved',
      { event: 'k3m9p2-7', kind: 'charge.updated', resolution: 'confirmed', reason: null },
      'info',
    ],
    ['event.resolved', { event: 'k3m9p2-7', kind: 'a', resolution: 'unconfirmed', reason: 'down' }, 'warn'],
    ['provider.drift', { operation: 'readUser', path: 'response.data', message: 'expected' }, 'warn'],
    ['operator.acted', { ...acted, result: 'done' }, 'info'],
    ['operator.acted', { ...acted, result: 'failed', status: 404 }, 'warn'],
    ['operator.acted', { ...acted, result: 'rejected', status: 401 }, 'warn'],
    ['dispatch.failed', { reason: 'disk full' }, 'error'],
  ] as const)('logs %s at its level', (name, fields, level) => {
    expect(logOf(name, fields as TelemetryEvents[typeof name])?.level).toBe(level);
  });

  it('does not format a line whose level is disabled', () => {
    const { log, logged } = testContext();
    const reduced = { ...log, isLevelEnabled: (level: string) => level === 'error' };
    const { report } = createLogSubscriber(reduced, options);
    const unread = {
      ...delivery,
      get event(): string {
        throw new Error('was read');
      },
    };
    report('delivery.started', unread);
    report('webhook.responded', { ...response, status: 422 });
    report('webhook.responded', { ...response, status: 503 });
    expect(logged.map(({ level }) => level)).toEqual(['error']);
  });

  it('contains no unlisted fields and no personal data quoted in errors', () => {
    const quoting = { reason: 'no user ana@example.com with CPF 52998224725', message: 'CPF 52998224725' };
    const smuggled = { ...quoting, payload: 'PAYLOAD', headers: { authorization: 'PAYLOAD' } };
    const lines = [
      logOf('delivery.dead', { ...delivery, ...smuggled, durationMs: 1 }),
      logOf('delivery.retrying', { ...delivery, ...smuggled, durationMs: 1, waitMs: 1 }),
      logOf('delivery.skipped', { ...delivery, ...smuggled, durationMs: 1 }),
      logOf('delivery.released', { ...delivery, ...smuggled }),
      logOf('breaker.opened', { ...smuggled, handler: 'billing', openMs: 1 }),
      logOf('dispatch.failed', smuggled),
      logOf('event.resolved', { ...smuggled, event: 'k3m9p2-7', kind: 'a', resolution: 'unconfirmed' }),
      logOf('provider.drift', { ...smuggled, operation: 'readUser', path: 'response.vars["52998224725"]' }),
      logOf('machine.anomaly', {
        ...smuggled,
        machine: 'm',
        subject: 'driver:52998224725',
        event: 'k3m9p2-7',
      }),
      logOf('webhook.responded', { ...response, ...smuggled }),
      logOf('operator.acted', { ...acted, ...smuggled, subject: { id: quoting.reason } }),
    ];
    const text = JSON.stringify(lines);
    for (const secret of ['ana@example.com', '52998224725', 'PAYLOAD']) expect(text).not.toContain(secret);
  });

  it('truncates names chosen by senders', () => {
    const line = logOf('webhook.responded', {
      ...response,
      kind: 'k'.repeat(5000),
      source: 's'.repeat(5000),
    });
    expect(JSON.stringify(line).length).toBeLessThan(500);
  });
});

describe('the log of events that unknown senders can cause', () => {
  const rejected = { ...response, kind: null, id: null, bytes: 0, status: 401, result: 'not-verified' };

  /** Reports an event `times` times within a second, and returns the log lines. */
  function linesOf<N extends TelemetryName>(name: N, fields: TelemetryEvents[N], times: number) {
    const { log, logged } = testContext();
    const clock = manualClock();
    const { report } = createLogSubscriber(log, { ...options, clock });
    for (let at = 0; at < times; at += 1) report(name, fields);
    clock.advance(5_000);
    return logged;
  }

  it('has one line at once, and one line a second for all that follow', () => {
    expect(linesOf('webhook.responded', rejected, 13_000)).toMatchObject([
      { level: 'warn', message: 'webhook not-verified: status 401', fields: { result: 'not-verified' } },
      {
        level: 'warn',
        message: 'webhook not-verified: status 401 (last of 12999 since the previous line)',
        fields: { event_name: 'webhook.responded', result: 'not-verified', status: 401, times: 12_999 },
      },
    ]);
  });

  it('says why, and keeps the reasons apart', () => {
    const { log, logged } = testContext();
    const { report } = createLogSubscriber(log, { ...options, clock: manualClock() });
    for (const [reason, detail] of [
      ['too-old', 'too old: by 412 seconds'],
      ['mismatch', 'does not match'],
    ] as const)
      report('webhook.responded', { ...rejected, notVerified: { reason, detail, clockSeconds: null } });
    const path = '/webhook?token=abc';
    report('webhook.responded', { ...rejected, status: 404, result: 'unknown-path', path });
    expect(logged).toMatchObject([
      {
        message: 'webhook not-verified: status 401 (too old: by 412 seconds)',
        fields: { reason: 'too-old', detail: 'too old: by 412 seconds' },
      },
      { fields: { reason: 'mismatch' } },
      {
        message: 'webhook unknown-path: status 404 (/webhook?token=<secret>)',
        fields: { path: '/webhook?token=<secret>' },
      },
    ]);
  });

  it.each([
    [401, 'not-verified'],
    [404, 'unknown-source'],
    [408, 'body-incomplete'],
    [413, 'body-too-large'],
    [415, 'unsupported-encoding'],
    [503, 'overloaded'],
    [503, 'store-full'],
    [500, 'internal'],
  ])('groups responses %i (%s)', (status, result) => {
    expect(linesOf('webhook.responded', { ...rejected, status, result }, 50)).toHaveLength(2);
  });

  it.each([
    [400, 'quarantined'],
    [422, 'quarantined'],
    [202, 'quarantined'],
    [200, 'duplicate'],
  ])('groups responses %i (%s) only for unverified senders', (status, result) => {
    const kept = { ...response, status, result };
    expect(linesOf('webhook.responded', { ...kept, source: 'open' }, 50)).toHaveLength(2);
    expect(linesOf('webhook.responded', kept, 50)).toHaveLength(50);
  });

  it('has a line for each new event of any sender', () => {
    expect(linesOf('webhook.responded', { ...response, source: 'open' }, 50)).toHaveLength(50);
  });

  it('groups conflicts of unverified senders, full quarantines and internal failures', () => {
    const conflict = { id: 'k3m9p2-7', quarantineId: 'q4' };
    expect(linesOf('webhook.conflict', { ...conflict, source: 'open' }, 50)).toHaveLength(2);
    expect(linesOf('webhook.conflict', { ...conflict, source: 'default' }, 50)).toHaveLength(50);
    expect(linesOf('quarantine.dropped', { source: 'default', entries: 1 }, 50)).toHaveLength(2);
    const failure = { source: 'default', result: 'store-full', error: new Error('disk full') };
    expect(linesOf('webhook.failed', failure, 50)).toHaveLength(2);
  });

  it('groups rejected requests at the private port, and has a line for each action', () => {
    const rejected = {
      ...acted,
      action: 'authenticate',
      actor: null,
      result: 'rejected',
      status: 401,
    } as const;
    expect(linesOf('operator.acted', rejected, 50)).toHaveLength(2);
    expect(linesOf('operator.acted', acted, 50)).toHaveLength(50);
  });

  it('groups failures of the store, which each delivery in flight meets', () => {
    expect(linesOf('dispatch.failed', { reason: 'the database cannot be reached' }, 50)).toHaveLength(2);
  });

  it('groups what claims skip in lanes of which only the newest runs', () => {
    expect(linesOf('deliveries.superseded', { handler: 'billing', deliveries: 3 }, 50)).toHaveLength(2);
  });

  it('keeps groups apart', () => {
    const { log, logged } = testContext();
    const { report } = createLogSubscriber(log, options);
    report('webhook.responded', rejected);
    report('webhook.responded', { ...rejected, status: 413, result: 'body-too-large' });
    report('webhook.responded', { ...rejected, source: 'other' });
    expect(logged).toHaveLength(3);
  });

  it('is complete when the subscriber closes', () => {
    const { log, logged } = testContext();
    const subscriber = createLogSubscriber(log, { ...options, clock: manualClock() });
    for (let at = 0; at < 3; at += 1) subscriber.report('webhook.responded', rejected);
    subscriber.close();
    expect(logged).toMatchObject([{}, { fields: { times: 2 } }]);
  });
});
