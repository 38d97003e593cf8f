import { beforeEach, describe, expect, test } from 'vitest';
import type { RawDelivery } from '../event/delivery.ts';
import type { Receipt } from '../event/receipt.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createBodyRoom } from './body-room.ts';
import { createReceiveApp } from './receive-app.ts';
import type { ReceiveOptions } from './receive-webhook.ts';

let taken: RawDelivery[];
let answered: object[];
let logged: string[];
/** What is told beside the answers. */
let reported: [string, object][];
const accepted: Receipt = { status: 'accepted', id: 'abc123-1', kind: 'charge.updated', flags: [] };

beforeEach(() => {
  taken = [];
  answered = [];
  logged = [];
  reported = [];
});

function app(result: Receipt | Error = accepted, changes: Partial<ReceiveOptions> = {}) {
  const log: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (_fields, message) => logged.push(message),
    child: () => log,
  };
  return createReceiveApp({
    receive: (delivery) => {
      taken.push(delivery);
      return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
    },
    sources: new Set(['default', 'fleet']),
    maxBodyBytes: 100,
    bodyTimeoutMs: 1_000,
    bodyRoom: createBodyRoom(1_000),
    onInvalid: 'reject',
    clock: manualClock('2026-11-20T12:00:00Z'),
    telemetry: {
      emit: (name, fields) =>
        name === 'webhook.answered' ? answered.push(fields) : reported.push([name, fields]),
    },
    log,
    stopping: () => false,
    ...changes,
  });
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

async function post(to: ReturnType<typeof app>, path = '/webhooks', init: RequestInit = {}): Promise<Answer> {
  const response = await to.request(path, { method: 'POST', body: '{}', ...init });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

describe('what is handed on', () => {
  test('the bytes as they came, with source, headers and time', async () => {
    const body = Uint8Array.from([0xff, 0x00, 0x7b]);
    await post(app(), '/webhooks/fleet', { body, headers: { 'X-Webhook-Token': 't', 'Webhook-Id': 'm' } });
    expect(taken).toEqual([
      {
        stage: 'raw',
        source: 'fleet',
        receivedAt: Date.parse('2026-11-20T12:00:00Z'),
        headers: { 'x-webhook-token': 't', 'webhook-id': 'm' },
        repeatedHeaders: [],
        body: expect.anything(),
      },
    ]);
    expect(Uint8Array.from(taken[0]?.body ?? [])).toEqual(body);
  });

  test('plain /webhooks is the source named default; no body is an empty one', async () => {
    await post(app(), '/webhooks', { body: null });
    expect(taken[0]?.source).toBe('default');
    expect(taken[0]?.body).toHaveLength(0);
  });

  test('a body of the limit exactly is taken', async () => {
    expect((await post(app(), '/webhooks', { body: 'x'.repeat(100) })).status).toBe(202);
  });

  test.each(['identity', 'Identity', ''])('content-encoding %j is none', async (encoding) => {
    expect((await post(app(), '/webhooks', { headers: { 'content-encoding': encoding } })).status).toBe(202);
  });
});

test.each<[Receipt, number, string]>([
  [accepted, 202, '{"status":"accepted","id":"abc123-1","kind":"charge.updated"}'],
  [{ ...accepted, status: 'duplicate' }, 200, '{"status":"duplicate","id":"abc123-1"}'],
])('what became of it is answered as JSON: %j', async (receipt, status, text) => {
  const answer = await post(app(receipt));
  expect([answer.status, answer.text]).toEqual([status, text]);
  expect(answer.headers.get('content-type')).toBe('application/json');
});

test('PORTARIA_ON_INVALID decides how what does not fit is answered', async () => {
  const rejected = {
    status: 'rejected',
    id: 'q1',
    message: 'Why',
    issues: [],
    kind: 'charge.updated',
  } as const;
  const invalid: Receipt = { ...rejected, reason: 'invalid' };
  expect((await post(app(invalid))).status).toBe(422);
  expect((await post(app(invalid, { onInvalid: 'accept' }))).status).toBe(202);
});

describe('refusals before anything is read', () => {
  test.each([
    ['/webhooks/stranger', {}, 404, 'Not Found', 'unknown-source'],
    ['/webhooks', { 'content-encoding': 'gzip' }, 415, 'Unsupported Media Type', 'unsupported-encoding'],
    [
      '/webhooks',
      { 'content-encoding': 'identity, br' },
      415,
      'Unsupported Media Type',
      'unsupported-encoding',
    ],
    ['/webhooks', { 'content-length': '101' }, 413, 'Payload Too Large', 'body-too-large'],
  ])('%s with %j', async (path, headers, status, error, result) => {
    const answer = await post(app(), path, { headers });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toEqual({ error, message: expect.stringMatching(/./) });
    expect(taken).toEqual([]);
    expect(answered).toMatchObject([{ status, result, bytes: 0, kind: null, id: null }]);
  });

  test('a body that grows beyond the limit while it is read', async () => {
    const answer = await post(app(), '/webhooks', { body: 'x'.repeat(101) });
    expect(answer.status).toBe(413);
    expect(answer.text).toBe('{"error":"Payload Too Large","message":"The body is larger than 100 bytes"}');
    expect(taken).toEqual([]);
  });

  test('stopping answers 503 and when to try again', async () => {
    const answer = await post(app(accepted, { stopping: () => true }));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect([taken, logged]).toEqual([[], []]);
  });
});

describe('errors of the stages behind', () => {
  test('a sender who is not verified is told why, and nobody is woken', async () => {
    const answer = await post(app(new PortariaError('not-verified', 'The header x is missing')));
    expect([answer.status, answer.text]).toEqual([
      401,
      '{"error":"Unauthorized","message":"The header x is missing"}',
    ]);
    expect(logged).toEqual([]);
  });

  test.each([
    [new PortariaError('store-full', 'disk full'), 503, '30', 'store-full'],
    [new TypeError('undefined is not a function'), 500, null, 'internal'],
  ])('what is our own trouble is reported: %s', async (error, status, retryAfter, result) => {
    const answer = await post(app(error));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, retryAfter]);
    expect(reported).toEqual([['webhook.failed', { source: 'default', result, error }]]);
  });

  test('also where reporting itself breaks', async () => {
    const emit = (): never => {
      throw new Error('a broken subscriber');
    };
    const answer = await post(app(accepted, { telemetry: { emit } }));
    expect([answer.status, answer.text]).toEqual([
      500,
      '{"error":"Internal Server Error","message":"Something went wrong here"}',
    ]);
    expect(logged).toEqual(['a request failed']);
  });
});

describe('everything else', () => {
  test.each([
    ['GET', '/webhooks', 'POST'],
    ['PUT', '/webhooks/fleet', 'POST'],
    ['DELETE', '/webhooks/stranger', 'POST'],
    ['OPTIONS', '/webhooks', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
  ])('%s %s is not allowed', async (method, path, allow) => {
    const response = await app().request(path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect(await response.json()).toMatchObject({ error: 'Method Not Allowed' });
  });

  test.each([
    '/',
    '/webhook',
    '/webhooks/',
    '/webhooks/fleet/more',
    '/metrics',
    '/webhooks/%zz/x',
    '/Webhooks',
  ])('there is nothing at %s', async (path) => {
    const answer = await post(app(), path);
    expect([answer.status, answer.text]).toEqual([
      404,
      '{"error":"Not Found","message":"There is nothing here; webhooks go to /webhooks"}',
    ]);
  });

  test('health is ok, not while stopping, and not while nothing can be stored', async () => {
    const healthOf = async (changes: Partial<ReceiveOptions>) => {
      const response = await app(accepted, changes).request('/healthz');
      return [response.status, await response.json()];
    };
    expect(await healthOf({})).toEqual([200, { status: 'ok' }]);
    expect(await healthOf({ healthy: () => false })).toMatchObject([503, { error: 'Service Unavailable' }]);
    expect(await healthOf({ stopping: () => true })).toMatchObject([503, { error: 'Service Unavailable' }]);
    expect((await app().request('/healthz', { method: 'HEAD' })).status).toBe(200);
  });
});

describe('what is reported', () => {
  test('each answer, with what was answered and how much came', async () => {
    await post(app(), '/webhooks/fleet', { body: '1234' });
    expect(answered).toEqual([
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

  test('what is in quarantine, as such, whatever the answer', async () => {
    const malformed: Receipt = {
      status: 'rejected',
      reason: 'malformed',
      id: 'q1',
      kind: null,
      message: '',
      issues: [],
    };
    await post(app(malformed));
    expect(answered).toMatchObject([{ status: 400, result: 'quarantined', id: 'q1' }]);
  });

  test('a made-up source is not repeated: names of sources are labels of metrics', async () => {
    await post(app(), '/webhooks/made-up-name');
    expect(answered).toMatchObject([{ source: 'unknown', status: 404 }]);
  });
});
