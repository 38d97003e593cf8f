/** A web page can make a browser send requests to this machine. Both ports reject them. */
import { describe, expect, test } from 'vitest';
import type { Portaria } from '../../src/compose.ts';
import { connect } from '../support/raw-connection.ts';
import { composedPortaria } from '../support/composed-portaria.ts';

const BODY = '{"type":"charge.created","data":{"id":7,"type":"fee","status":"paid"}}';
let portaria: Portaria;
let port: number;
let opsPort: number;

async function start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  portaria = await composedPortaria(settings);
  ({ port, opsPort } = await portaria.start());
}

type Headers = Readonly<Record<string, string>>;

async function send(to: number, line: string, headers: Headers, body = '') {
  const all = { Host: `localhost:${String(to)}`, 'Content-Length': String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const connection = await connect(to);
  connection.send(`${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  const response = await connection.response();
  connection.socket.destroy();
  return { status: response.status, body: JSON.parse(response.body || '{}') as Record<string, unknown> };
}

const stored = () => portaria.store.events({}, { order: 'newest', limit: 10 });

/** Headers that browsers add. A page can make a browser omit `Origin`; old browsers lack `Sec-Fetch-Site`. */
const foreign: readonly (readonly [string, Headers])[] = [
  ['a page of another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
  ['a page of another site in an old browser', { Origin: 'https://evil.example' }],
  ['a page that hides its origin', { 'Sec-Fetch-Site': 'cross-site', Origin: 'null' }],
  ['a link or an image', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }],
  ['a page on another port', { 'Sec-Fetch-Site': 'same-site', Origin: 'http://localhost:3000' }],
];

const requestLines = ['POST /webhooks', 'POST /webhooks?a=query'];

describe('given the default settings', () => {
  test.each(requestLines)('%s from a web page is rejected, and nothing is stored', async (line) => {
    await start();

    for (const [name, headers] of foreign)
      for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded'])
        expect(await send(port, line, { ...headers, 'Content-Type': type }, BODY), name).toEqual({
          status: 403,
          body: { error: 'Forbidden', message: expect.stringContaining('web pages of other origins') },
        });

    expect(await stored()).toEqual([]);
  });

  test.each(requestLines)('%s to another name for this machine is rejected (DNS rebinding)', async (line) => {
    await start();
    const name = `rebound.example:${String(port)}`;
    // The browser considers both one origin.
    const headers = { Host: name, Origin: `http://${name}`, 'Sec-Fetch-Site': 'same-origin' };

    for (const sent of [headers, { Host: name }, { Host: 'localhost.rebound.example' }])
      expect(await send(port, line, sent, BODY)).toEqual({
        status: 403,
        body: { error: 'Forbidden', message: expect.stringContaining('set PORTARIA_VERIFY') },
      });

    expect(await stored()).toEqual([]);
  });

  test.each(requestLines)('%s from a program is accepted at each loopback name', async (line) => {
    await start();
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST', '127.0.0.2'])
      for (const headers of [{}, { 'Sec-Fetch-Mode': 'cors', 'User-Agent': 'node' }])
        expect([200, 202]).toContain(
          (await send(port, line, { Host: `${host}:${String(port)}`, ...headers }, BODY)).status,
        );
  });

  test('the health endpoints respond to any origin and host', async () => {
    await start();
    for (const [, headers] of [...foreign, ['a rebound name', { Host: 'rebound.example' }] as const])
      for (const [to, path] of [
        [port, '/healthz'],
        [opsPort, '/healthz'],
        [opsPort, '/readyz'],
      ] as const)
        expect((await send(to, `GET ${path}`, headers)).status).toBe(200);
  });

  const requests = [
    'GET /api/stats',
    'GET /api/events',
    'HEAD /api/events',
    'GET /metrics',
    'GET /openapi.json',
    'GET /nowhere',
    'OPTIONS /api/machines/rebuild',
    'POST /api/machines/rebuild',
    'POST /api/deliveries/retry',
    'POST /api/quarantine/release',
    'DELETE /api/events',
  ];

  test('the private port rejects every request from any web page', async () => {
    await start();
    const name = `rebound.example:${String(opsPort)}`;
    const rebound = ['a rebound name', { Host: name, Origin: `http://${name}` }] as const;
    for (const line of requests)
      for (const [who, headers] of [...foreign, rebound])
        for (const type of ['text/plain', 'application/json']) {
          const { status } = await send(opsPort, line, { ...headers, 'Content-Type': type });
          expect(status, `${line} from ${who}`).toBe(403);
        }
  });

  test('the private port accepts a request for an address typed into a browser', async () => {
    await start();
    expect((await send(opsPort, 'GET /api/stats', { 'Sec-Fetch-Site': 'none' })).status).toBe(200);
    expect((await send(opsPort, 'GET /api/stats', { 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200);
  });
});

describe('given a scheme or a token', () => {
  const settings = {
    PORTARIA_VERIFY: 'token',
    PORTARIA_SECRETS: 'a-token-of-some-length',
    PORTARIA_OPS_TOKEN: 'another-token-of-some-length',
  };
  const shown = { 'X-Webhook-Token': settings.PORTARIA_SECRETS };
  const bearer = { Authorization: `Bearer ${settings.PORTARIA_OPS_TOKEN}` };

  test('any host is accepted, because a proxy may be in front', async () => {
    await start(settings);
    expect((await send(port, 'POST /webhooks', { Host: 'hooks.example', ...shown }, BODY)).status).toBe(202);
    expect((await send(opsPort, 'GET /api/stats', { Host: 'ops.example', ...bearer })).status).toBe(200);
  });

  test('web pages of other origins are still rejected', async () => {
    await start(settings);
    for (const [, headers] of foreign) {
      expect((await send(port, 'POST /webhooks', { ...headers, ...shown }, BODY)).status).toBe(403);
      expect((await send(opsPort, 'GET /api/stats', { ...headers, ...bearer })).status).toBe(403);
    }
  });

  test('an additional source without a scheme accepts only loopback hosts', async () => {
    await start({ ...settings, PORTARIA_SOURCES: '{"open":{"verify":"none"}}' });
    const headers = { Host: 'hooks.example', ...shown };
    expect((await send(port, 'POST /webhooks/open', headers, BODY)).status).toBe(403);
    expect((await send(port, 'POST /webhooks', headers, BODY)).status).toBe(202);
  });
});

test('given PORTARIA_VERIFY=none on an address that others reach, any host is accepted', async () => {
  await start({ PORTARIA_HOST: '0.0.0.0', PORTARIA_VERIFY: 'none' });
  expect((await send(port, 'POST /webhooks', { Host: 'hooks.example' }, BODY)).status).toBe(202);
});
