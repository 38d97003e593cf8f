import { beforeEach, describe, expect, test } from 'vitest';
import type { RawDelivery } from '../event/delivery.ts';
import type { Receipt } from '../event/receipt.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createPublicPort, createReceiveApp, type PublicPortOptions } from './public-port.ts';
import { createBodyMemory } from './read-body.ts';

let received: RawDelivery[];
/** Fields of `webhook.responded`. */
let responses: object[];
let logged: string[];
/** All other telemetry events. */
let reported: [string, object][];
const accepted: Receipt = { status: 'accepted', id: 'abc123-1', kind: 'charge.updated', flags: [] };

beforeEach(() => {
  received = [];
  responses = [];
  logged = [];
  reported = [];
});

/** A public port over a pipeline with a fixed result, as a Hono app. */
function app(result: Receipt | Error = accepted, changes: Partial<PublicPortOptions> = {}) {
  const log: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (_fields, message) => logged.push(message),
    child: () => log,
  };
  const publicPort = createPublicPort({
    receive: (delivery) => {
      received.push(delivery);
      return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
    },
    sources: new Set(['default', 'fleet']),
    maxBodyBytes: 100,
    bodyTimeoutMs: 1_000,
    bodyMemory: createBodyMemory(1_000),
    onInvalid: 'reject',
    clock: manualClock('2026-11-20T12:00:00Z'),
    telemetry: {
      emit: (name, fields) =>
        name === 'webhook.responded' ? responses.push(fields) : reported.push([name, fields]),
    },
    log,
    stopping: () => false,
    healthy: () => true,
    ...changes,
  });
  return createReceiveApp(publicPort);
}

interface PostResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

async function post(
  to: ReturnType<typeof app>,
  path = '/webhooks',
  init: RequestInit = {},
): Promise<PostResponse> {
  const response = await to.request(path, { method: 'POST', body: '{}', ...init });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

describe('a delivery', () => {
  test('has the bytes as they came, with source, headers and time', async () => {
    const body = Uint8Array.from([0xff, 0x00, 0x7b]);
    await post(app(), '/webhooks/fleet', { body, headers: { 'X-Webhook-Token': 't', 'Webhook-Id': 'm' } });
    expect(received).toEqual([
      {
        stage: 'raw',
        source: 'fleet',
        receivedAt: Date.parse('2026-11-20T12:00:00Z'),
        headers: { 'x-webhook-token': 't', 'webhook-id': 'm' },
        repeatedHeaders: [],
        body: expect.anything(),
        method: 'POST',
        path: '/webhooks/fleet',
        search: '',
        query: {},
        repeatedQuery: [],
      },
    ]);
    expect(Uint8Array.from(received[0]?.body ?? [])).toEqual(body);
  });

  test.each(['identity', 'Identity', '', 'utf-8', 'UTF8'])(
    'may have content-encoding %j',
    async (encoding) => {
      expect((await post(app(), '/webhooks', { headers: { 'content-encoding': encoding } })).status).toBe(
        202,
      );
    },
  );
});

test.each(['/webhooks/', '/webhooks/fleet/'])(
  '%s is the address without the slash at its end',
  async (path) => {
    expect((await post(app(), path)).status).toBe(202);
  },
);

test.each([
  ['/webhook', 'unknown-path'],
  ['/webhooks/elsewhere', 'unknown-source'],
])('a request to %s is reported with its path', async (path, result) => {
  expect((await post(app(), path)).status).toBe(404);
  expect(responses).toMatchObject([{ source: 'unknown', status: 404, result, path }]);
});

test('a webhook that fails verification is reported with the reason, as a code and as a sentence', async () => {
  const error = new PortariaError('not-verified', 'too old: by 412 seconds', {
    ...{ reason: 'too-old', clockSeconds: 412 },
  });
  expect((await post(app(error))).status).toBe(401);
  expect(responses).toMatchObject([
    { notVerified: { reason: 'too-old', detail: 'too old: by 412 seconds', clockSeconds: 412 } },
  ]);
});

describe('rejection by the headers', () => {
  test.each([
    ['/webhooks/elsewhere', {}, 404, 'Not Found', 'unknown-source'],
    ['/webhooks', { 'content-encoding': 'gzip' }, 415, 'Unsupported Media Type', 'unsupported-encoding'],
    [
      '/webhooks',
      { 'content-encoding': 'identity, br' },
      415,
      'Unsupported Media Type',
      'unsupported-encoding',
    ],
    ['/webhooks', { 'content-length': '101' }, 413, 'Payload Too Large', 'body-too-large'],
  ])('%s with %j is rejected', async (path, headers, status, error, result) => {
    const response = await post(app(), path, { headers });
    expect(response.status).toBe(status);
    expect(JSON.parse(response.text)).toEqual({ error, message: expect.stringMatching(/./) });
    expect(received).toEqual([]);
    expect(responses).toMatchObject([{ status, result, bytes: 0, kind: null, id: null }]);
  });
});

describe('an error of the pipeline', () => {
  test.each([
    [new PortariaError('store-full', 'disk full'), 503, '30', 'store-full'],
    [new TypeError('undefined is not a function'), 500, null, 'internal'],
  ])('is reported if Portaria or its store failed: %s', async (error, status, retryAfter, result) => {
    const response = await post(app(error));
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, retryAfter]);
    expect(reported).toEqual([['webhook.failed', { source: 'default', result, error }]]);
  });

  test('that the port does not expect makes the response 500', async () => {
    const emit = (): never => {
      throw new Error('out of range');
    };
    const response = await post(app(accepted, { telemetry: { emit } }));
    expect([response.status, response.text]).toEqual([
      500,
      '{"error":"Internal Server Error","message":"Internal error"}',
    ]);
    expect(logged).toEqual(['a request failed']);
  });
});

describe('any other request', () => {
  test.each([
    ['GET', '/webhooks', 'POST'],
    ['PUT', '/webhooks/fleet', 'POST'],
    ['DELETE', '/webhooks/elsewhere', 'POST'],
    ['OPTIONS', '/webhooks', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
  ])('%s %s gets 405', async (method, path, allow) => {
    const response = await app().request(path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect(await response.json()).toMatchObject({ error: 'Method Not Allowed' });
  });

  test('GET /healthz is 200, but 503 while stopping or while webhooks cannot be stored', async () => {
    const healthOf = async (changes: Partial<PublicPortOptions>) => {
      const response = await app(accepted, changes).request('/healthz');
      return [response.status, await response.json()];
    };
    expect(await healthOf({})).toEqual([200, { status: 'ok' }]);
    expect(await healthOf({ healthy: () => false })).toMatchObject([503, { error: 'Service Unavailable' }]);
    expect(await healthOf({ stopping: () => true })).toMatchObject([503, { error: 'Service Unavailable' }]);
    expect((await app().request('/healthz', { method: 'HEAD' })).status).toBe(200);
  });
});

describe('webhook.responded', () => {
  test('reports the response and the size of the body', async () => {
    await post(app(), '/webhooks/fleet', { body: '1234' });
    expect(responses).toEqual([
      {
        source: 'fleet',
        status: 202,
        result: 'accepted',
        kind: 'charge.updated',
        id: 'abc123-1',
        bytes: 4,
        durationMs: 0,
      },
    ]);
  });

  test('reports a source that is not configured as `unknown`, because sources are metric labels', async () => {
    await post(app(), '/webhooks/made-up-name');
    expect(responses).toMatchObject([{ source: 'unknown', status: 404 }]);
  });
});
