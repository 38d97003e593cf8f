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

const answered = {
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
  it('has a line for each webhook that was answered', () => {
    expect(logOf('webhook.responded', answered)).toEqual({
      level: 'info',
      message: 'webhook accepted: answered 202',
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
  ])('puts an answer %i at level %s', (status, level) => {
    expect(logOf('webhook.responded', { ...answered, status })?.level).toBe(level);
  });

  it('says of a dead letter what to type once its cause is gone', () => {
    const line = logOf('delivery.dead', {
      ...delivery,
      durationMs: 12,
      reason: 'Error: the ledger is closed',
    });
    expect(line).toMatchObject({
      level: 'error',
      message:
        'charge.updated k3m9p2-7 for billing given up at try 3: Error: the ledger is closed; ' +
        'once its cause is gone: portaria deliveries retry d12',
    });
  });

  it('says when a failed try is repeated', () => {
    const line = logOf('delivery.retrying', {
      ...delivery,
      durationMs: 12,
      waitMs: 8_420,
      reason: 'timeout',
    });
    expect(line).toMatchObject({
      level: 'warn',
      message: 'charge.updated k3m9p2-7 for billing failed at try 3, next try in 8.4 s: timeout',
    });
  });

  it.each([
    ['delivery.started', delivery, 'debug'],
    ['delivery.succeeded', { ...delivery, durationMs: 1 }, 'info'],
    ['delivery.skipped', { ...delivery, durationMs: 1, reason: 'not mine' }, 'info'],
    ['delivery.released', { ...delivery, reason: 'shutdown' }, 'debug'],
    ['webhook.failed', { source: 'default', result: 'store-full', error: new Error('disk full') }, 'error'],
    ['webhook.conflict', { source: 'default', id: 'k3m9p2-7', quarantineId: 'q4' }, 'warn'],
    ['quarantine.dropped', { source: 'default', entries: 3 }, 'warn'],
    ['machine.anomaly', { machine: 'm', subject: 'charge:1', event: 'k3m9p2-7', message: 'odd' }, 'warn'],
    ['breaker.opened', { handler: 'billing', pauseMs: 4000, reason: 'down' }, 'error'],
    ['breaker.probing', { handler: 'billing' }, 'info'],
    ['breaker.closed', { handler: 'billing' }, 'info'],
    ['dispatch.released', { handler: 'billing', deliveries: 3, reason: 'stopping' }, 'debug'],
    ['dispatch.recovered', { deliveries: 3 }, 'warn'],
    [
      'event.resolved',
      { event: 'k3m9p2-7', kind: 'charge.updated', resolution: 'confirmed', reason: null },
      'info',
    ],
    ['event.resolved', { event: 'k3m9p2-7', kind: 'a', resolution: 'unconfirmed', reason: 'down' }, 'warn'],
    ['provider.drift', { operation: 'readUser', path: 'answer.data', message: 'expected' }, 'warn'],
    ['operator.acted', { ...acted, result: 'done' }, 'info'],
    ['operator.acted', { ...acted, result: 'failed', status: 404 }, 'warn'],
    ['operator.acted', { ...acted, result: 'refused', status: 401 }, 'warn'],
    ['dispatch.failed', { reason: 'disk full' }, 'error'],
  ] as const)('puts %s at its level', (name, fields, level) => {
    expect(logOf(name, fields as TelemetryEvents[typeof name])?.level).toBe(level);
  });

  it('is not put together where its level is off', () => {
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
    report('webhook.responded', { ...answered, status: 422 });
    report('webhook.responded', { ...answered, status: 503 });
    expect(logged.map(({ level }) => level)).toEqual(['error']);
  });

  it('never has fields that were not chosen, nor personal data that an error quotes', () => {
    const quoting = { reason: 'no user ana@example.com with CPF 52998224725', message: 'CPF 52998224725' };
    const smuggled = { ...quoting, payload: 'PAYLOAD', headers: { authorization: 'PAYLOAD' } };
    const lines = [
      logOf('delivery.dead', { ...delivery, ...smuggled, durationMs: 1 }),
      logOf('delivery.retrying', { ...delivery, ...smuggled, durationMs: 1, waitMs: 1 }),
      logOf('delivery.skipped', { ...delivery, ...smuggled, durationMs: 1 }),
      logOf('delivery.released', { ...delivery, ...smuggled }),
      logOf('breaker.opened', { ...smuggled, handler: 'billing', pauseMs: 1 }),
      logOf('dispatch.failed', smuggled),
      logOf('event.resolved', { ...smuggled, event: 'k3m9p2-7', kind: 'a', resolution: 'unconfirmed' }),
      logOf('provider.drift', { ...smuggled, operation: 'readUser', path: 'answer.vars["52998224725"]' }),
      logOf('machine.anomaly', { ...smuggled, machine: 'm', subject: 'charge:1', event: 'k3m9p2-7' }),
      logOf('webhook.responded', { ...answered, ...smuggled }),
      logOf('operator.acted', { ...acted, ...smuggled, subject: { id: quoting.reason } }),
    ];
    const text = JSON.stringify(lines);
    for (const secret of ['ana@example.com', '52998224725', 'PAYLOAD']) expect(text).not.toContain(secret);
  });

  it('cuts names that a sender made up', () => {
    const line = logOf('webhook.responded', {
      ...answered,
      kind: 'k'.repeat(5000),
      source: 's'.repeat(5000),
    });
    expect(JSON.stringify(line).length).toBeLessThan(500);
  });
});

describe('what strangers cause', () => {
  const refused = { ...answered, kind: null, id: null, bytes: 0, status: 401, result: 'not-verified' };

  /** Reports an event so many times within a second, and tells which lines that made. */
  function linesOf<N extends TelemetryName>(name: N, fields: TelemetryEvents[N], times: number) {
    const { log, logged } = testContext();
    const clock = manualClock();
    const { report } = createLogSubscriber(log, { ...options, clock });
    for (let at = 0; at < times; at += 1) report(name, fields);
    clock.advance(5_000);
    return logged;
  }

  it('has a line at once, and one a second for all that follow', () => {
    expect(linesOf('webhook.responded', refused, 13_000)).toMatchObject([
      { level: 'warn', message: 'webhook not-verified: answered 401', fields: { result: 'not-verified' } },
      {
        level: 'warn',
        message: 'webhook not-verified: answered 401 (the latest of 12999 since the last such line)',
        fields: { event_name: 'webhook.responded', result: 'not-verified', status: 401, times: 12_999 },
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
  ])('sums up answers %i (%s)', (status, result) => {
    expect(linesOf('webhook.responded', { ...refused, status, result }, 50)).toHaveLength(2);
  });

  it.each([
    [400, 'quarantined'],
    [422, 'quarantined'],
    [202, 'quarantined'],
    [200, 'duplicate'],
  ])('sums up answers %i (%s) to unverified senders, and to them alone', (status, result) => {
    const kept = { ...answered, status, result };
    expect(linesOf('webhook.responded', { ...kept, source: 'open' }, 50)).toHaveLength(2);
    expect(linesOf('webhook.responded', kept, 50)).toHaveLength(50);
  });

  it('has a line for each new event, whoever sent it', () => {
    expect(linesOf('webhook.responded', { ...answered, source: 'open' }, 50)).toHaveLength(50);
  });

  it('sums up conflicts of unverified senders, full quarantines and our own trouble', () => {
    const conflict = { id: 'k3m9p2-7', quarantineId: 'q4' };
    expect(linesOf('webhook.conflict', { ...conflict, source: 'open' }, 50)).toHaveLength(2);
    expect(linesOf('webhook.conflict', { ...conflict, source: 'default' }, 50)).toHaveLength(50);
    expect(linesOf('quarantine.dropped', { source: 'default', entries: 1 }, 50)).toHaveLength(2);
    const failure = { source: 'default', result: 'store-full', error: new Error('disk full') };
    expect(linesOf('webhook.failed', failure, 50)).toHaveLength(2);
  });

  it('sums up refusals of the private port, and has a line for each action', () => {
    const refused = {
      ...acted,
      action: 'authenticate',
      actor: null,
      result: 'refused',
      status: 401,
    } as const;
    expect(linesOf('operator.acted', refused, 50)).toHaveLength(2);
    expect(linesOf('operator.acted', acted, 50)).toHaveLength(50);
  });

  it('keeps kinds apart', () => {
    const { log, logged } = testContext();
    const { report } = createLogSubscriber(log, options);
    report('webhook.responded', refused);
    report('webhook.responded', { ...refused, status: 413, result: 'body-too-large' });
    report('webhook.responded', { ...refused, source: 'other' });
    expect(logged).toHaveLength(3);
  });

  it('is written before the process ends', () => {
    const { log, logged } = testContext();
    const subscriber = createLogSubscriber(log, { ...options, clock: manualClock() });
    for (let at = 0; at < 3; at += 1) subscriber.report('webhook.responded', refused);
    subscriber.close();
    expect(logged).toMatchObject([{}, { fields: { times: 2 } }]);
  });
});
