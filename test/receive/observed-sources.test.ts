/** A source whose proof is not known yet is observed: everything is taken and flagged, until a day. */
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

const forged = { 'x-webhook-signature': 'a'.repeat(64), cookie: 'session=1', 'x-other-proof': 'v1=abc' };

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
    for (const result of ['mismatch', 'missing', 'passed'])
      expect(metrics).toContain(
        `portaria_webhooks_observed_total{source="partner",scheme="hmac",result="${result}"} 1`,
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

  test('an id of the header is not trusted without proof', async () => {
    const { portaria } = await receiver({ ...HMAC, PORTARIA_VERIFY_OBSERVE: '2026-12-31' });
    const { event } = await post(portaria, { 'webhook-id': 'msg_1' });
    expect(event).toMatchObject({ messageId: 'msg_1', messageIdTrusted: false });
  });
});

test('a source without a scheme is observed to find one: everything is flagged, and kept with its headers', async () => {
  const { portaria } = await receiver({ PORTARIA_VERIFY_OBSERVE: 'true' });
  expect(await post(portaria, forged)).toMatchObject({
    flags: ['unverified'],
    event: { headers: { 'x-other-proof': 'v1=abc' } },
  });
});

test.each<[string, Readonly<Record<string, string>>, string, RegExp]>([
  [
    'no end beyond loopback',
    { PORTARIA_HOST: '0.0.0.0', PORTARIA_VERIFY_OBSERVE: 'true' },
    'PORTARIA_VERIFY_OBSERVE',
    /give it an end/,
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
    loadConfig({ ...HMAC, ...env }, '/');
  } catch (error) {
    ({ problems } = error as { problems: typeof problems });
  }
  expect(problems.find((problem) => problem.where === where)?.message).toMatch(message);
});
