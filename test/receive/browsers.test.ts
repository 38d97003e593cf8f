/** A page anywhere can have a browser send requests to this machine. Neither port carries them out. */
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

async function ask(to: number, line: string, headers: Headers, body = '') {
  const all = { Host: `localhost:${String(to)}`, 'Content-Length': String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const connection = await connect(to);
  connection.send(`${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  const answer = await connection.answer();
  connection.socket.destroy();
  return { status: answer.status, body: JSON.parse(answer.body || '{}') as Record<string, unknown> };
}

const stored = () => portaria.store.events({}, { order: 'newest', limit: 10 });

/** As browsers send them; a page can make a browser omit the one, and old browsers lack the other. */
const foreign: readonly (readonly [string, Headers])[] = [
  ['a page elsewhere', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
  ['a page elsewhere, in an old browser', { Origin: 'https://evil.example' }],
  ['a page that hides its origin', { 'Sec-Fetch-Site': 'cross-site', Origin: 'null' }],
  ['a link or an image', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }],
  ['a page on another port', { 'Sec-Fetch-Site': 'same-site', Origin: 'http://localhost:3000' }],
];

/** Direct, and by way of the app. */
const ways = ['POST /webhooks', 'POST /webhooks?by-the-app'];

describe('given the default settings', () => {
  test.each(ways.flatMap((way) => foreign.map(([name, headers]) => [way, name, headers] as const)))(
    '%s of %s is refused, and nothing is kept',
    async (way, _name, headers) => {
      await start();

      for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded']) {
        const answer = await ask(port, way, { ...headers, 'Content-Type': type }, BODY);
        expect(answer).toEqual({
          status: 403,
          body: { error: 'Forbidden', message: expect.stringContaining('Web pages of other origins') },
        });
      }

      expect(await stored()).toEqual([]);
    },
  );

  test.each(ways)('%s by a name that was pointed at this machine is refused', async (way) => {
    await start();
    const name = `rebound.example:${String(port)}`;
    // The browser takes both for one origin
    const headers = { Host: name, Origin: `http://${name}`, 'Sec-Fetch-Site': 'same-origin' };

    for (const sent of [headers, { Host: name }, { Host: 'localhost.rebound.example' }])
      expect(await ask(port, way, sent, BODY)).toEqual({
        status: 403,
        body: { error: 'Forbidden', message: expect.stringContaining('set PORTARIA_VERIFY') },
      });

    expect(await stored()).toEqual([]);
  });

  test.each(ways)('%s of a sender that is no browser is taken, by any of the names', async (way) => {
    await start();
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST', '127.0.0.2'])
      for (const headers of [{}, { 'Sec-Fetch-Mode': 'cors', 'User-Agent': 'node' }])
        expect([200, 202]).toContain(
          (await ask(port, way, { Host: `${host}:${String(port)}`, ...headers }, BODY)).status,
        );
  });

  test('health says the same to everybody', async () => {
    await start();
    for (const [, headers] of [...foreign, ['a rebound name', { Host: 'rebound.example' }] as const])
      for (const [to, path] of [
        [port, '/healthz'],
        [opsPort, '/healthz'],
        [opsPort, '/readyz'],
      ] as const)
        expect((await ask(to, `GET ${path}`, headers)).status).toBe(200);
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

  test.each(requests)('the private port refuses %s of any page', async (line) => {
    await start();
    const name = `rebound.example:${String(opsPort)}`;
    const rebound = ['a rebound name', { Host: name, Origin: `http://${name}` }] as const;
    for (const [who, headers] of [...foreign, rebound])
      for (const type of ['text/plain', 'application/json'])
        expect([who, (await ask(opsPort, line, { ...headers, 'Content-Type': type })).status]).toEqual([
          who,
          403,
        ]);
  });

  test('the private port answers who types its address', async () => {
    await start();
    expect((await ask(opsPort, 'GET /api/stats', { 'Sec-Fetch-Site': 'none' })).status).toBe(200);
    expect((await ask(opsPort, 'GET /api/stats', { 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200);
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

  test('any name is answered, as a proxy may stand in front', async () => {
    await start(settings);
    expect((await ask(port, 'POST /webhooks', { Host: 'hooks.example', ...shown }, BODY)).status).toBe(202);
    expect((await ask(opsPort, 'GET /api/stats', { Host: 'ops.example', ...bearer })).status).toBe(200);
  });

  test('pages of other origins are refused all the same', async () => {
    await start(settings);
    for (const [, headers] of foreign) {
      expect((await ask(port, 'POST /webhooks', { ...headers, ...shown }, BODY)).status).toBe(403);
      expect((await ask(opsPort, 'GET /api/stats', { ...headers, ...bearer })).status).toBe(403);
    }
  });

  test('a further source without a scheme answers to the names of this machine only', async () => {
    await start({ ...settings, PORTARIA_SOURCES: '{"open":{"verify":"none"}}' });
    const headers = { Host: 'hooks.example', ...shown };
    expect((await ask(port, 'POST /webhooks/open', headers, BODY)).status).toBe(403);
    expect((await ask(port, 'POST /webhooks', headers, BODY)).status).toBe(202);
  });
});

test('given a port that others reach, and none written, any name is answered', async () => {
  await start({ PORTARIA_HOST: '0.0.0.0', PORTARIA_VERIFY: 'none' });
  expect((await ask(port, 'POST /webhooks', { Host: 'hooks.example' }, BODY)).status).toBe(202);
});
