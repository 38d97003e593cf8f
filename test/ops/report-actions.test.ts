/** Who did what at the private port, as the log and the metrics tell it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPortaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { sampleData } from '../../src/testing/sample-data.ts';
import { testContext } from '../../src/testing/test-context.ts';
import { openOpsDesk, type OpsDesk } from './ops-desk.ts';

const TOKEN = 's3cret-token-of-the-private-port';
const CPF = '52998224725';

let desk: OpsDesk;

afterEach(() => desk.close());

const acts = () =>
  desk.logged.filter(({ fields }) => 'event_name' in fields && fields.event_name === 'operator.acted');
const fieldsOfActs = () => acts().map(({ fields }) => fields);

describe('at the loopback address', () => {
  beforeEach(async () => {
    desk = await openOpsDesk();
    desk.failing = true;
    await desk.receive({ type: 'charge.updated', data: { ...sampleData('charge.updated'), id: 1 } });
    await desk.receive('{');
    await desk.settle();
  });

  it.each([
    ['/api/deliveries/retry', { ids: ['d1'] }, 'retryDeliveries', { ids: 'd1', dry_run: 'false' }],
    [
      '/api/deliveries/retry',
      { status: 'dead', handler: 'billing', subject: 'charge:1', dry_run: true },
      'retryDeliveries',
      { status: 'dead', handler: 'billing', subject: 'charge:1', dry_run: 'true' },
    ],
    [
      '/api/quarantine/release',
      { reason: 'malformed' },
      'releaseQuarantine',
      { reason: 'malformed', dry_run: 'false' },
    ],
    [
      '/api/machines/rebuild',
      { machine: 'charge-status' },
      'rebuildMachines',
      { machine: 'charge-status', dry_run: 'false' },
    ],
  ])('POST %s with %j is logged', async (path, body, action, subject) => {
    expect((await desk.post(path, body)).status).toBe(200);

    expect(acts()).toEqual([
      {
        level: 'info',
        message: `operator (loopback, unknown address): ${action} done`,
        fields: {
          event_name: 'operator.acted',
          action,
          subject,
          actor: 'loopback',
          address: null,
          result: 'done',
          status: 200,
        },
      },
    ]);
    const metrics = await (await desk.request('/metrics')).text();
    expect(metrics).toContain(`portaria_operator_actions_total{action="${action}",result="done"} 1`);
  });

  it('names ten of many ids', async () => {
    const ids = Array.from({ length: 40 }, (_, at) => `d${String(at + 1)}`);
    await desk.post('/api/deliveries/retry', { ids, dry_run: true });
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
    expect((await desk.request(path)).status).toBe(200);
    expect((await desk.request(path, { method: 'HEAD' })).status).toBe(200);

    const read = { action, unmasked: true, subject, actor: 'loopback', result: 'done', status: 200 };
    expect(fieldsOfActs()).toMatchObject([read, read]);
  });

  it('what failed is logged as that', async () => {
    await desk.post('/api/deliveries/retry', {});
    await desk.post('/api/quarantine/release', { ids: ['q77'] });
    await desk.get('/api/events/99?unmask=true');

    expect(fieldsOfActs()).toMatchObject([
      { action: 'retryDeliveries', result: 'failed', status: 400 },
      { action: 'releaseQuarantine', subject: { ids: 'q77' }, result: 'failed', status: 404 },
      { action: 'showEvent', unmasked: true, subject: { id: '99' }, result: 'failed', status: 404 },
    ]);
  });

  it('masked reads, probes and scrapes are not', async () => {
    for (const path of [
      '/api/events/1',
      '/api/events',
      '/healthz?unmask=true',
      '/readyz',
      '/metrics',
      '/nowhere?unmask=true',
    ])
      await desk.request(path);
    await desk.post('/nowhere', {});

    expect(acts()).toEqual([]);
  });

  it('never has personal data, the name of a refused host or what was read', async () => {
    const read = { ...sampleData('console-user.updated'), id: 'u1', name: 'Ana Souza' };
    await desk.receive({ type: 'console-user.updated', data: read });
    expect(await (await desk.request('/api/events/2?unmask=true')).text()).toContain('Ana Souza');
    await desk.get(`/api/events/${CPF}?unmask=true`);
    await desk.post('/api/deliveries/retry', { subject: `user:${CPF}`, dry_run: true });
    await desk.request('/api/events/1', { headers: { host: 'evil.example' } });

    expect(acts()).toHaveLength(4);
    expect(JSON.stringify(acts())).not.toMatch(new RegExp(`${CPF}|Ana Souza|evil`, 'u'));
  });

  it('a foreign host is refused, and logged once a second', async () => {
    for (let at = 0; at < 20; at += 1)
      await desk.request('/api/stats', { headers: { host: 'evil.example' } });
    desk.clock.advance(1_000);

    expect(acts()).toMatchObject([
      { level: 'warn', message: 'the private port rejected a request from an unknown address: 403' },
      {
        level: 'warn',
        fields: { action: 'authenticate', actor: null, result: 'rejected', status: 403, times: 19 },
      },
    ]);
  });
});

describe('with a token', () => {
  it('its refusals are logged without it, and its actions by it', async () => {
    desk = await openOpsDesk({ token: TOKEN });
    const body = JSON.stringify({ status: 'dead', dry_run: true });
    const retry = (token: string) =>
      desk.request('/api/deliveries/retry', {
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
    expect(JSON.stringify(desk.logged)).not.toContain('token-of');
    expect(JSON.stringify(desk.logged)).not.toContain('wrong-token');
  });
});

it('over a connection, the address is where it comes from', async () => {
  desk = await openOpsDesk();
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
