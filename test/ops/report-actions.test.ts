/** Who did what at the private port, as the log and the metrics tell it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPortaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { sampleData } from '../../src/testing/sample-data.ts';
import { testContext } from '../../src/testing/test-context.ts';
import { setUpOps, type OpsSetup } from './ops-setup.ts';

const TOKEN = 's3cret-token-of-the-private-port';
const CPF = '52998224725';

let setup: OpsSetup;

afterEach(() => setup.close());

const acts = () =>
  setup.logged.filter(({ fields }) => 'event_name' in fields && fields.event_name === 'operator.acted');
const fieldsOfActs = () => acts().map(({ fields }) => fields);

const notOvertaken = { include_overtaken: 'false' };

describe('at the loopback address', () => {
  beforeEach(async () => {
    setup = await setUpOps();
    setup.failing = true;
    await setup.receive({ type: 'charge.updated', data: { ...sampleData('charge.updated'), id: 1 } });
    await setup.receive('{');
    await setup.settle();
  });

  it.each([
    [
      '/api/deliveries/retry',
      { ids: ['d1', 'd9'] },
      'retryDeliveries',
      { ids: 'd1, d9', ...notOvertaken, dry_run: 'false', retried: '1', deliveries: 'd1', left_alone: '1' },
    ],
    [
      '/api/deliveries/retry',
      { status: 'dead', handler: 'billing', subject: 'charge:1', dry_run: true },
      'retryDeliveries',
      { status: 'dead', handler: 'billing', subject: 'charge:1', ...notOvertaken, dry_run: 'true' },
    ],
    [
      '/api/quarantine/release',
      { reason: 'malformed' },
      'releaseQuarantine',
      { reason: 'malformed', ...notOvertaken, dry_run: 'false', force: 'false', released: '0', held: '1' },
    ],
    [
      '/api/machines/rebuild',
      { machine: 'charge-status' },
      'rebuildMachines',
      { machine: 'charge-status', dry_run: 'false', changed: '0', unchanged: '1' },
    ],
  ])('POST %s with %j is logged', async (path, body, action, subject) => {
    expect((await setup.post(path, body)).status).toBe(200);

    expect(acts()).toEqual([
      {
        level: 'info',
        message: `operator (loopback, 127.0.0.1): ${action} done`,
        fields: {
          event_name: 'operator.acted',
          action,
          subject,
          actor: 'loopback',
          address: '127.0.0.1',
          result: 'done',
          status: 200,
          audit: 'u1',
        },
      },
    ]);
    const metrics = await (await setup.request('/metrics')).text();
    expect(metrics).toContain(`portaria_operator_actions_total{action="${action}",result="done"} 1`);
  });

  it('names ten of many ids', async () => {
    const ids = Array.from({ length: 40 }, (_, at) => `d${String(at + 1)}`);
    await setup.post('/api/deliveries/retry', { ids, dry_run: true });
    expect(fieldsOfActs()).toMatchObject([
      { subject: { ids: 'd1, d2, d3, d4, d5, d6, d7, d8, d9, d10 and 30 more' } },
    ]);
  });

  it.each([
    ['/api/events/1?unmask=true', 'showEvent', { id: '1' }],
    ['/api/events/1/body?unmask=true', 'showEventBody', { id: '1' }],
    ['/api/quarantine/q1?unmask=true', 'showQuarantineEntry', { id: 'q1' }],
    ['/api/quarantine/q1/body?unmask=true', 'showQuarantineBody', { id: 'q1' }],
    ['/api/subjects/charge:1?unmask=true', 'showSubject', { subject: 'charge:1' }],
    [
      '/api/machines/charge-status/charge:1?unmask=true',
      'showMachine',
      { machine: 'charge-status', subject: 'charge:1' },
    ],
  ])('an unmasked read is logged: %s', async (path, action, subject) => {
    expect((await setup.request(path)).status).toBe(200);
    expect((await setup.request(path, { method: 'HEAD' })).status).toBe(200);

    const read = { action, unmasked: true, subject, actor: 'loopback', result: 'done', status: 200 };
    expect(fieldsOfActs()).toMatchObject([read, read]);
  });

  it('reports a failed action as failed', async () => {
    await setup.post('/api/deliveries/retry', {});
    await setup.post('/api/quarantine/release', { ids: ['q77'] });
    await setup.get('/api/events/99?unmask=true');

    expect(fieldsOfActs()).toMatchObject([
      { action: 'retryDeliveries', result: 'failed', status: 400 },
      { action: 'releaseQuarantine', subject: { ids: 'q77' }, result: 'failed', status: 404 },
      { action: 'showEvent', unmasked: true, subject: { id: '99' }, result: 'failed', status: 404 },
    ]);
  });

  it('does not report masked reads, probes and scrapes', async () => {
    for (const path of [
      '/api/events/1',
      '/api/events',
      '/healthz?unmask=true',
      '/readyz',
      '/metrics',
      '/nowhere?unmask=true',
    ])
      await setup.request(path);
    await setup.post('/nowhere', {});

    expect(acts()).toEqual([]);
  });

  it('never reports personal data, the name of a rejected host or a response', async () => {
    const read = { ...sampleData('console-user.updated'), id: 'u1', name: 'Ana Souza' };
    await setup.receive({ type: 'console-user.updated', data: read });
    expect(await (await setup.request('/api/events/2?unmask=true')).text()).toContain('Ana Souza');
    await setup.get(`/api/events/${CPF}?unmask=true`);
    await setup.post('/api/deliveries/retry', { subject: `user:${CPF}`, dry_run: true });
    await setup.request('/api/events/1', { headers: { host: 'evil.example' } });

    expect(acts()).toHaveLength(4);
    expect(JSON.stringify(acts())).not.toMatch(new RegExp(`${CPF}|Ana Souza|evil`, 'u'));
  });

  it('rejects a foreign host, and logs that once a second', async () => {
    for (let at = 0; at < 20; at += 1)
      await setup.request('/api/stats', { headers: { host: 'evil.example' } });
    setup.clock.advance(1_000);

    expect(acts()).toMatchObject([
      { level: 'warn', message: 'the private port rejected a request from 127.0.0.1: 403' },
      {
        level: 'warn',
        fields: { action: 'authenticate', actor: null, result: 'rejected', status: 403, times: 19 },
      },
    ]);
  });
});

describe('with a token', () => {
  it('reports rejected tokens without the token, and actions as the token’s', async () => {
    setup = await setUpOps({ token: TOKEN });
    const body = JSON.stringify({ status: 'dead', dry_run: true });
    const retry = (token: string) =>
      setup.request('/api/deliveries/retry', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body,
      });

    expect((await retry('wrong-token')).status).toBe(401);
    expect((await retry(TOKEN)).status).toBe(200);

    expect(fieldsOfActs()).toMatchObject([
      { action: 'authenticate', subject: {}, actor: null, result: 'rejected', status: 401 },
      {
        action: 'retryDeliveries',
        subject: { status: 'dead', dry_run: 'true' },
        actor: 'token',
        result: 'done',
      },
    ]);
    expect(JSON.stringify(setup.logged)).not.toContain('token-of');
    expect(JSON.stringify(setup.logged)).not.toContain('wrong-token');
  });
});

it('reports the remote address of a connection', async () => {
  setup = await setUpOps();
  const { log, logged } = testContext();
  const env = { PORTARIA_DATABASE: ':memory:', PORTARIA_PORT: '0', PORTARIA_OPS_PORT: '0' };
  const portaria = await createPortaria({
    config: loadConfig(env, '/'),
    handlers: [],
    log,
    clock: manualClock(),
  });
  const { opsPort } = await portaria.start();

  await fetch(`http://127.0.0.1:${String(opsPort)}/api/machines/rebuild`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' },
    body: '{}',
  });
  await portaria.stop();

  expect(logged.filter(({ fields }) => 'action' in fields)).toMatchObject([
    { fields: { action: 'rebuildMachines', actor: 'loopback', address: '127.0.0.1', result: 'done' } },
  ]);
});
