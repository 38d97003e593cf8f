/** A source whose proof is not known yet is observed: everything is taken and flagged, until a day. */
import { createHmac } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createPortaria, type Portaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { SECRET, signatureHeaders } from '../support/signing.ts';

const ENV = {
  PORTARIA_DATABASE: ':memory:',
  PORTARIA_LOG_LEVEL: 'silent',
  PORTARIA_PORT: '0',
  PORTARIA_OPS_PORT: '0',
};
const HMAC = { PORTARIA_VERIFY: 'hmac', PORTARIA_SECRETS: SECRET };

async function receiver(env: Readonly<Record<string, string>>) {
  const clock = manualClock('2026-11-28T12:00:00Z');
  const portaria = await createPortaria({ config: loadConfig({ ...ENV, ...env }, '/'), handlers: [], clock });
  onTestFinished(() => portaria.stop());
  return { portaria, clock };
}

let number = 0;
async function post(portaria: Portaria, headers?: Readonly<Record<string, string>>, path = '/webhooks') {
  number += 1;
  const body = JSON.stringify({ type: 'charge.updated', data: { id: number, type: 'fee', status: 'paid' } });
  const response = await portaria.app.request(path, {
    method: 'POST',
    body,
    headers: headers ?? signatureHeaders('hmac', body),
  });
  const { id, flags } = (await response.json()) as { id?: string; flags?: readonly string[] };
  return { status: response.status, flags, event: id === undefined ? null : await portaria.store.event(id) };
}

const forged = {
  'x-webhook-signature': 'a'.repeat(64),
  cookie: 'session=1',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'x-other-proof': 'v1=abc',
};

describe('given a source that is observed through a day', () => {
  test('what verification rejects is taken and flagged, with the headers that may prove it', async () => {
    const { portaria } = await receiver({ ...HMAC, PORTARIA_VERIFY_OBSERVE: '2026-12-31' });

    const unproven = await post(portaria, forged);
    expect(unproven).toMatchObject({ status: 202, flags: ['unverified'] });
    expect(unproven.event?.flags).toEqual(['unverified']);
    expect(unproven.event?.headers).toMatchObject({
      'x-webhook-signature': 'a'.repeat(64),
      'x-other-proof': 'v1=abc',
    });
    expect(unproven.event?.headers).not.toHaveProperty('cookie');
    expect(unproven.event?.headers).not.toHaveProperty('traceparent');

    const proven = await post(portaria);
    expect(proven).toMatchObject({ status: 202, flags: undefined });
    expect(proven.event?.headers).not.toHaveProperty('x-webhook-signature');
  });

  test('verification is enforced again when the day is over', async () => {
    const { portaria, clock } = await receiver({ ...HMAC, PORTARIA_VERIFY_OBSERVE: '2026-12-31' });
    clock.jump(Date.parse('2026-12-31T23:59:59Z') - clock.now());
    expect((await post(portaria, forged)).status).toBe(202);
    clock.jump(1_000);
    expect((await post(portaria, forged)).status).toBe(401);
    expect((await post(portaria)).status).toBe(202);
  });

  test('what verification says is counted, and a problem says that it is observed', async () => {
    const { portaria, clock } = await receiver({
      PORTARIA_SOURCES: JSON.stringify({
        partner: { verify: 'hmac', secrets: [SECRET], observe: { until: '2026-12-31' } },
      }),
    });
    await post(portaria, forged, '/webhooks/partner');
    await post(portaria, {}, '/webhooks/partner');
    await post(portaria, undefined, '/webhooks/partner');
    const { opsPort } = await portaria.start();
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${String(opsPort)}${path}`)).text();

    const metrics = await ask('/metrics');
    for (const [scheme, result] of [
      ['none', 'mismatch'],
      ['none', 'missing'],
      ['hmac', 'passed'],
    ])
      expect(metrics).toContain(
        `portaria_webhooks_observed_total{source="partner",scheme="${scheme ?? ''}",result="${result ?? ''}"} 1`,
      );
    await expect
      .poll(
        async () => {
          clock.advance(60_000);
          return ask('/metrics');
        },
        { timeout: 20_000 },
      )
      .toContain('portaria_problems{problem="observed",of="partner"} 1');
  });

  test('a known sender whose proof would have passed is counted, and what it sends stays flagged', async () => {
    const clock = manualClock('2026-11-28T12:00:00Z');
    const env = { ...ENV, ...HMAC, PORTARIA_VERIFY_OBSERVE: '2026-12-31' };
    const portaria = await createPortaria({ config: loadConfig(env, '/'), handlers: [], clock });
    onTestFinished(() => portaria.stop());
    const at = String(Math.floor(clock.now() / 1000));
    const charge = (id: number) =>
      `{"type":"charge.updated","data":{"id":${String(id)},"type":"fee","status":"paid"}}`;
    const send = async (body: string, signed = body) => {
      const mac = createHmac('sha256', SECRET).update(`${at}.${signed}`).digest('hex');
      const headers = { 'stripe-signature': `t=${at},v1=${mac}` };
      const response = await portaria.app.request('/webhooks', { method: 'POST', body, headers });
      return ((await response.json()) as { flags?: readonly string[] }).flags;
    };
    expect(await send(charge(1))).toContain('unverified');
    expect(await send(charge(2))).toContain('unverified');
    expect(await send(charge(3), 'forged')).toContain('unverified');

    const { opsPort } = await portaria.start();
    const address = `http://127.0.0.1:${String(opsPort)}`;
    const metrics = await (await fetch(`${address}/metrics`)).text();
    expect(metrics).toMatch(/observed_total\{source="default",scheme="stripe",result="passed"\} 2/);
    expect(metrics).toMatch(/observed_total\{source="default",scheme="none",result="missing"\} 1/);
    clock.advance(60_000);
    await expect
      .poll(async () => (await (await fetch(`${address}/api/stats`)).json()) as object, { timeout: 20_000 })
      .toMatchObject({
        observed: [
          { source: 'default', scheme: 'stripe', webhooks: 2 },
          { source: 'default', scheme: 'none', webhooks: 1 },
        ],
      });
  });

  test('an id of the header is not trusted without proof', async () => {
    const { portaria } = await receiver({ ...HMAC, PORTARIA_VERIFY_OBSERVE: '2026-12-31' });
    const { event } = await post(portaria, { 'webhook-id': 'msg_1' });
    expect(event).toMatchObject({ messageId: 'msg_1', messageIdTrusted: false });
  });
});

describe('given an observed source with a token', () => {
  const TOKEN = 'token-secret-0123456789';
  const OPS = {
    PORTARIA_OPS_TOKEN: 'ops-token-0123456789',
    PORTARIA_OPS_VIEW_TOKEN: 'view-token-0123456789',
  };
  const observed = (fields: object) => ({
    ...OPS,
    PORTARIA_SOURCES: JSON.stringify({
      partner: { verify: 'token', header: 'x-tok', secrets: [TOKEN], observe: true, ...fields },
    }),
  });

  async function ask(portaria: Portaria, path: string, token: string, body?: object): Promise<unknown> {
    const request = new Request(`http://localhost/api/${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    return (await portaria.opsApp.fetch(request)).json();
  }

  test.each<[string, string, string]>([
    ['under another name', 'x-token', TOKEN],
    ['sent twice', 'x-tok', `${TOKEN}, ${TOKEN}`],
    ['after Bearer', 'authorization', `Bearer ${TOKEN}`],
    ['as a password', 'authorization', `Basic ${Buffer.from(`u:${TOKEN}`).toString('base64')}`],
    ['as a message id', 'webhook-id', TOKEN],
  ])('its secret is not stored: %s', async (_how, name, value) => {
    const { portaria } = await receiver(observed({}));
    const { event } = await post(portaria, { [name]: value }, '/webhooks/partner');
    expect(event?.headers[name]).toBe('***');
    expect(event?.messageId).toBeNull();
  });

  test('a secret beyond ASCII is recognized in the bytes that were sent', async () => {
    const { portaria } = await receiver(observed({ secrets: ['chave-é-0123456789'] }));
    const sent = { 'x-other': Buffer.from('chave-é-0123456789').toString('latin1') };
    expect((await post(portaria, sent, '/webhooks/partner')).event?.headers['x-other']).toBe('***');
  });

  test('what proves a proxy is not stored', async () => {
    const { portaria } = await receiver(observed({}));
    const { event } = await post(portaria, { 'proxy-authorization': 'Basic eDp5' }, '/webhooks/partner');
    expect(event?.headers).not.toHaveProperty('proxy-authorization');
  });

  test('headers that others do not store show to whom personal data shows', async () => {
    const { portaria } = await receiver(observed({}));
    const { event } = await post(
      portaria,
      { 'x-api-key': 'key', 'user-agent': 'sender/1' },
      '/webhooks/partner',
    );
    const path = `events/${event?.id ?? ''}`;
    expect(await ask(portaria, path, OPS.PORTARIA_OPS_VIEW_TOKEN)).toMatchObject({
      masked: true,
      headers: { 'x-api-key': '***', 'user-agent': 'sender/1' },
    });
    expect(await ask(portaria, `${path}?unmask=true`, OPS.PORTARIA_OPS_TOKEN)).toMatchObject({
      headers: { 'x-api-key': 'key' },
    });
  });

  test.each<[string, object]>([
    ['of an observed source', {}],
    [
      'whose signature does not cover the body',
      { verify: 'mercado-pago', header: undefined, secrets: [SECRET], observe: undefined },
    ],
  ])('a release trusts no id of a body %s', async (_what, fields) => {
    const { portaria } = await receiver(observed({ messageId: 'id', ...fields }));
    const body = '{"id":"forged","type":"charge.updated","data":{"id":"no number"}}';
    const at = String(Math.floor(Date.parse('2026-11-28T12:00:00Z') / 1000));
    const signed = createHmac('sha256', SECRET).update(`id:7;request-id:r;ts:${at};`).digest('hex');
    const response = await portaria.app.request('/webhooks/partner?data.id=7', {
      ...{ method: 'POST', body },
      headers: { 'x-signature': `ts=${at},v1=${signed}`, 'x-request-id': 'r' },
    });
    expect(await response.json()).toMatchObject({ id: 'q1' });

    const release = { ids: ['q1'], force: true };
    const { data } = (await ask(portaria, 'quarantine/release', OPS.PORTARIA_OPS_TOKEN, release)) as {
      data: readonly { readonly event_id: string }[];
    };
    const event = await portaria.store.event(data[0]?.event_id ?? '');
    expect(event).toMatchObject({ messageId: 'forged', messageIdTrusted: false });
    expect(event?.flags.includes('unverified')).toBe(!('verify' in fields));
  });
});

test('a source without a scheme is observed to find one: everything is flagged, and kept with its headers', async () => {
  const { portaria } = await receiver({ PORTARIA_VERIFY_OBSERVE: 'true' });
  expect(await post(portaria, forged)).toMatchObject({
    flags: ['unverified'],
    event: { headers: { 'x-other-proof': 'v1=abc' } },
  });
});

test('the last day that is near enough is no mistake beyond loopback', () => {
  const env = { ...HMAC, PORTARIA_HOST: '0.0.0.0', PORTARIA_VERIFY_OBSERVE: '2026-12-31' };
  const config = loadConfig(env, '/', { now: () => Date.parse('2026-12-01T12:00:00Z') });
  expect(config.sources.get('default')?.observe).toEqual({ until: '2026-12-31' });
});

test.each<[string, Readonly<Record<string, string>>, string, RegExp]>([
  [
    'no end beyond loopback',
    { PORTARIA_HOST: '0.0.0.0', PORTARIA_VERIFY_OBSERVE: 'true' },
    'PORTARIA_VERIFY_OBSERVE',
    /give it an end/,
  ],
  [
    'an end that is far away, beyond loopback',
    { PORTARIA_HOST: '0.0.0.0', PORTARIA_VERIFY_OBSERVE: '2027-01-01' },
    'PORTARIA_VERIFY_OBSERVE',
    /give it an end within 31 days, 2026-12-31 at the latest/,
  ],
  ['no day', { PORTARIA_VERIFY_OBSERVE: '2026-02-30' }, 'PORTARIA_VERIFY_OBSERVE', /last day/],
  [
    'no end beyond loopback, of another source',
    {
      PORTARIA_HOST: '0.0.0.0',
      PORTARIA_SOURCES: `{"a":{"verify":"hmac","secrets":["${SECRET}"],"observe":true}}`,
    },
    'PORTARIA_SOURCES.a.observe',
    /give it an end/,
  ],
  [
    'two places',
    { PORTARIA_VERIFY_OBSERVE: 'true', PORTARIA_SOURCES: '{"default":{"observe":true}}' },
    'PORTARIA_SOURCES.default.observe',
    /keep one/,
  ],
])('%s is a mistake', (_what, env, where, message) => {
  let problems: readonly { readonly where: string; readonly message: string }[] = [];
  try {
    loadConfig({ ...HMAC, ...env }, '/', { now: () => Date.parse('2026-12-01T12:00:00Z') });
  } catch (error) {
    ({ problems } = error as { problems: typeof problems });
  }
  expect(problems.find((problem) => problem.where === where)?.message).toMatch(message);
});
