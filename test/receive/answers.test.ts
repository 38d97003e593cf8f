/** Senders that take another answer than Portaria's own: statuses, handshakes, pings, GET and paths below a source. */
import { generateKeyPairSync } from 'node:crypto';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { type Portaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { composedPortaria } from '../support/composed-portaria.ts';
import { SECRET, signatureHeaders } from '../support/signing.ts';
import { receiver, send, get, defined, toShop, sold } from './kit/asked-receivers.ts';

const EVENT = '{"type":"charge.updated","data":{"id":7,"type":"fee","status":"paid"}}';

const events = (portaria: Portaria) => portaria.store.events({}, { order: 'newest', limit: 10 });

describe('given the answer that the sender takes', () => {
  const changed = EVENT.replace('paid', 'open');
  const unknown = '{"type":"never.heard","data":{}}';

  test.each<[string, object, (string | null)[]]>([
    ['a status', { accepted: 200 }, ['200', 'application/json', 'accepted']],
    ['a status and a text', { accepted: 200, body: 'OK' }, ['200', 'text/plain; charset=utf-8', 'OK']],
    ['a text that is JSON', { body: '{"received":true}' }, ['202', 'application/json', '{"received":true}']],
    ['JSON', { accepted: 201, body: { received: true } }, ['201', 'application/json', '{"received":true}']],
    ['no content', { accepted: 204 }, ['204', null, '']],
  ])('%s is the answer to what was kept', async (_what, respond, [status, type, text]) => {
    const portaria = await receiver({ respond });
    const first = await send(portaria, EVENT);
    expect([String(first.status), first.type]).toEqual([status, type]);
    expect(first.text).toContain(text);

    const others = [
      await send(portaria, unknown),
      await send(portaria, EVENT),
      await send(portaria, changed),
    ];
    const expected = 'accepted' in respond ? [first.status, first.status, first.status] : [202, 200, 202];
    expect(others.map((one) => one.status)).toEqual(expected);
    expect(await events(portaria)).toHaveLength(3);
  });

  test('errors stay errors', async () => {
    const portaria = await receiver({ respond: { accepted: 200, body: 'OK' } });
    expect((await send(portaria, EVENT, { headers: {} })).status).toBe(401);
    expect((await send(portaria, 'no JSON')).status).toBe(400);
    expect((await send(portaria, '{"type":"charge.updated","data":{"id":[]}}')).status).toBe(422);
  });

  test('a body that is quarantined with 202 follows it', async () => {
    const sources = {
      partner: { verify: 'hmac', secrets: [SECRET], respond: { accepted: 200, body: 'OK' } },
    };
    const portaria = await composedPortaria({
      PORTARIA_SOURCES: JSON.stringify(sources),
      PORTARIA_ON_INVALID: 'accept',
    });
    const invalid = await send(portaria, '{"type":"charge.updated","data":{"id":[]}}');
    expect([invalid.status, invalid.text]).toEqual([200, 'OK']);
  });

  test('plain /webhooks has one, too', async () => {
    const portaria = await composedPortaria({ PORTARIA_SOURCES: '{"default":{"respond":{"accepted":200}}}' });
    expect((await send(portaria, EVENT, { path: '/webhooks' })).status).toBe(200);
  });
});

describe('given the handshake of Slack', () => {
  const asks = '{"token":"x","challenge":"3eZbrw1aB","type":"url_verification"}';

  test('the challenge is answered only after the proof', async () => {
    const portaria = await receiver({ handshake: 'slack' });

    expect(await send(portaria, asks)).toEqual({
      ...{ status: 200, type: 'text/plain; charset=utf-8', text: '3eZbrw1aB' },
    });
    expect((await send(portaria, asks, { headers: {} })).status).toBe(401);
    expect((await send(portaria, asks.replace('3eZbrw1aB', 'x'.repeat(2_000)))).status).toBe(400);
    expect(await events(portaria)).toEqual([]);
    expect((await send(portaria, EVENT)).status).toBe(202);
  });
});

describe('given the handshake of Meta', () => {
  const asks = (token: string, challenge = '1158201444') =>
    `/webhooks/partner?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=${encodeURIComponent(challenge)}`;

  test.each<[string, string, number, string]>([
    ['the secret', asks(SECRET), 200, '1158201444'],
    ['a challenge that looks like HTML', asks(SECRET, '<script>'), 200, '<script>'],
    ['another secret', asks('guessed'), 401, 'error'],
    ['no secret', asks(''), 401, 'error'],
    ['a secret sent twice', `${asks(SECRET)}&hub.verify_token=${SECRET}`, 401, 'error'],
    ['a challenge that is too long', asks(SECRET, 'x'.repeat(2_000)), 400, 'error'],
    ['no question', '/webhooks/partner', 405, 'error'],
  ])('%s', async (_what, path, status, text) => {
    const answer = await get(await receiver({ handshake: 'meta' }), path);
    expect(answer).toMatchObject({ status, text: expect.stringContaining(text) });
    if (status === 200) expect(answer.type).toBe('text/plain; charset=utf-8');
  });

  test('a guess is counted as any webhook without proof', async () => {
    const portaria = await receiver({ handshake: 'meta' });
    await get(portaria, asks('guessed'));
    const { opsPort } = await portaria.start();
    const metrics = await (await fetch(`http://127.0.0.1:${String(opsPort)}/metrics`)).text();
    expect(metrics).toContain(
      'portaria_webhooks_total{source="partner",result="not-verified",status="401",reason="mismatch"} 1',
    );
  });

  test('a public key of the source is no answer', async () => {
    const key = `whpk_${Buffer.alloc(32, 7).toString('base64')}`;
    const secret = `whsec_${Buffer.from('a secret of the sender').toString('base64')}`;
    const portaria = await receiver({ verify: 'standard', secrets: [key, secret], handshake: 'meta' });
    expect((await get(portaria, asks(encodeURIComponent(key)))).status).toBe(401);
    expect((await get(portaria, asks(encodeURIComponent(secret)))).status).toBe(200);
  });

  test('another site cannot ask in a browser', async () => {
    const portaria = await receiver({ handshake: 'meta' });
    expect((await get(portaria, asks(SECRET), 'GET', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });
});

describe('given the handshake of Microsoft', () => {
  const ask = (portaria: Portaria, query: string) =>
    send(portaria, '', { path: `/webhooks/partner?${query}`, headers: {} });

  test('the token is echoed, decoded, as plain text', async () => {
    const portaria = await receiver({ handshake: 'microsoft' });
    expect(await ask(portaria, 'validationToken=Validation%3a+Testing%3Cb%3E')).toEqual({
      ...{ status: 200, type: 'text/plain; charset=utf-8', text: 'Validation: Testing<b>' },
    });
    expect((await ask(portaria, 'validationToken=a&validationToken=b')).status).toBe(400);
    expect((await ask(portaria, 'other=a')).status).toBe(401);
    const response = await portaria.app.request('/webhooks/partner?validationToken=a', { method: 'POST' });
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('an event is no handshake, whatever its address has', async () => {
    const portaria = await receiver({ handshake: 'microsoft' });
    const path = '/webhooks/partner?validationToken=a';
    expect(await send(portaria, EVENT, { path })).toMatchObject({ status: 202 });
    expect(await events(portaria)).toHaveLength(1);
  });
});

describe('given pings', () => {
  test.each<[string, object, string]>([
    ['a kind', { ping: 'test' }, '{"type":"test"}'],
    ['several kinds', { ping: ['hello', 'test'] }, '{"type":"hello","data":{}}'],
  ])('%s is answered with success, and is no event', async (_what, fields, body) => {
    const portaria = await receiver(fields);
    expect(await send(portaria, body)).toMatchObject({ status: 200, text: '{"status":"ping"}' });
    expect((await send(portaria, body, { headers: {} })).status).toBe(401);
    expect((await send(portaria, EVENT)).status).toBe(202);
    expect(await events(portaria)).toHaveLength(1);
  });

  test('a function decides by the body; only `true` is one', async () => {
    const portaria = await defined({
      ping: (body) => (body as { zen?: string }).zen !== undefined,
      respond: { accepted: 204 },
    });
    expect((await toShop(portaria, '{"zen":"keep it simple"}')).status).toBe(204);
    expect((await toShop(portaria, sold)).status).toBe(204);
    expect(await events(portaria)).toHaveLength(1);
    const emptying = (body: unknown) => {
      delete (body as { payload?: unknown }).payload;
      return false;
    };
    const changing = await defined({ ping: emptying });
    expect((await toShop(changing, sold)).status).toBe(202);
    const promising = await defined({ ping: (() => Promise.resolve(true)) as never });
    expect((await toShop(promising, sold)).status).toBe(202);
  });

  test('they are counted by their own result', async () => {
    const portaria = await receiver({ ping: 'test' });
    await send(portaria, '{"type":"test"}');
    const { opsPort } = await portaria.start();
    const metrics = await (await fetch(`http://127.0.0.1:${String(opsPort)}/metrics`)).text();
    expect(metrics).toMatch(/portaria_webhooks_total\{[^}]*source="partner"[^}]*result="ping"[^}]*\} 1/);
  });
});

test('a 401 of basic authentication says how to sign in, and no other one does', async () => {
  const challenge = async (verify: string, secret: string) => {
    const portaria = await receiver({ verify, secrets: [secret] });
    const response = await portaria.app.request('/webhooks/partner', { method: 'POST', body: EVENT });
    return [response.status, response.headers.get('www-authenticate')];
  };
  expect(await challenge('basic', `user:${SECRET}`)).toEqual([
    401,
    'Basic realm="webhooks", charset="UTF-8"',
  ]);
  expect(await challenge('token', SECRET)).toEqual([401, null]);
});

test('GET and HEAD are answered where the source says so, and nowhere else', async () => {
  const portaria = await receiver({ answersGet: true });
  expect(await get(portaria, '/webhooks/partner')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  expect((await get(portaria, '/webhooks/partner', 'HEAD')).status).toBe(200);
  expect((await get(portaria, '/webhooks/partner', 'PUT')).status).toBe(405);
  expect((await get(portaria, '/webhooks')).status).toBe(405);
});

describe('paths below a source', () => {
  test('reach it where it says so', async () => {
    const portaria = await receiver({ subpaths: true });
    const { port } = await portaria.start();
    const url = (path: string) => `http://127.0.0.1:${String(port)}${path}`;
    const parent = new Hono().route('/in', portaria.app);
    const post = { method: 'POST', body: EVENT, headers: signatureHeaders('hmac', EVENT) };

    expect((await fetch(url('/webhooks/partner/pix'), post)).status).toBe(202);
    expect((await fetch(url('/webhooks/partner/pix/%2e/x?a=b'), post)).status).toBe(200);
    expect((await send(portaria, EVENT, { path: '/webhooks/partner/pix' })).status).toBe(200);
    expect((await parent.request('/in/webhooks/partner/pix', post)).status).toBe(200);
    expect((await fetch(url('/webhooks/other/pix'), post)).status).toBe(404);
  });

  test('are unknown elsewhere', async () => {
    const portaria = await receiver({});
    expect((await send(portaria, EVENT, { path: '/webhooks/partner/pix' })).status).toBe(404);
  });
});

const RAW_KEY = generateKeyPairSync('ed25519')
  .publicKey.export({ format: 'der', type: 'spki' })
  .subarray(-32)
  .toString('hex');
const ED25519 = { scheme: 'signed', header: 'x-sig', signs: '{body}', algorithm: 'ed25519' };

test.each<[string, object, RegExp]>([
  ['partner.respond.accepted', { respond: { accepted: 302 } }, /200 to 299/],
  ['partner.respond.body', { respond: { accepted: 204, body: 'x' } }, /204/],
  ['partner.respond.bdoy', { respond: { bdoy: 'x' } }, /did you mean body/],
  ['partner.handshake', { handshake: 'facebook' }, /"slack", "meta", "microsoft"/],
  ['partner.handshake', { handshake: 'meta', verify: { scheme: 'none' }, secrets: undefined }, /verify the/],
  ['partner.handshake', { handshake: 'meta', verify: ED25519, secrets: [RAW_KEY] }, /a public key is none/],
  ['partner.ping', { ping: [] }, /a list of kinds/],
  ['partner.subpath', { subpath: true }, /did you mean subpaths/],
  ['partner.messageId', { messageId: 7 }, /dotted path/],
  ['partner.compare.ignore.0', { compare: { ignore: [''] } }, /dotted path/],
  ['partner.trace', { trace: 'yes' }, /true or false/],
  ['partner.trace', { trace: true, verify: 'none', secrets: undefined }, /needs verification/],
  ['default.subpaths', {}, /a source with a name/],
])('a mistake names its field and its remedy: %s', (field, fields, message) => {
  const sources = { partner: { verify: 'hmac', secrets: [SECRET], ...fields }, default: { subpaths: true } };
  let problems: readonly { readonly where: string; readonly message: string }[] = [];
  try {
    loadConfig({ PORTARIA_SOURCES: JSON.stringify(sources) }, '/');
  } catch (error) {
    ({ problems } = error as { problems: typeof problems });
  }
  const found = problems.find(({ where }) => where === `PORTARIA_SOURCES.${field}`);
  expect(found?.message).toMatch(message);
});
