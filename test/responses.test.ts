/** The responses of the public port and what is stored, by the rows of the table in docs/receiving.md. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPortaria, type Portaria } from '../src/compose.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { defineHandler } from '../src/handle/define/handler.ts';
import { manualClock } from '../src/testing/manual-clock.ts';

interface PostResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

let portaria: Portaria;
let handled: string[];

async function open(env: Record<string, string> = {}): Promise<void> {
  handled = [];
  portaria = await createPortaria({
    config: loadConfig(
      {
        PORTARIA_DATABASE: ':memory:',
        PORTARIA_PORT: '0',
        PORTARIA_OPS_PORT: '0',
        PORTARIA_LOG_LEVEL: 'silent',
        ...env,
      },
      '/',
    ),
    clock: manualClock(),
    handlers: [
      defineHandler({
        name: 'everything',
        on: '*',
        handle: ({ kind, subject }) => {
          handled.push(`${kind} ${subject.family}:${subject.id}`);
        },
      }),
    ],
  });
}

async function post(
  body: unknown,
  { path = '/webhooks', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<PostResponse> {
  const response = await portaria.app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  };
}

const consoleUser = (updatedAt: string, name = 'Ana') => ({
  type: 'console-user.updated',
  data: { id: 'u1', name, email: 'ana@example.com', updated_at: updatedAt },
});
const charge = (status: string) => ({
  type: 'charge.updated',
  data: { id: 7, type: 'fee', status, amount: 92.41 },
});

beforeEach(() => open());
afterEach(() => portaria.stop());

describe('a stored event', () => {
  test('a new event gets 202 accepted with its id and kind', async () => {
    const { status, body } = await post(consoleUser('2026-01-01T00:00:00Z'));
    expect(status).toBe(202);
    expect(body).toEqual({
      status: 'accepted',
      id: expect.stringMatching(/^[0-9a-z]{6}-1$/) as string,
      kind: 'console-user.updated',
    });
  });

  test('an older event gets 202 stale, whatever the format of its timestamp', async () => {
    await post(consoleUser('2026-01-01T12:00:00Z'));
    // 09:30-03:00 is 12:30 UTC, though it sorts before noon as a string; 13:30+02:00 is 11:30 UTC.
    expect((await post(consoleUser('2026-01-01T09:30:00-03:00', 'Bia'))).body['status']).toBe('accepted');
    expect((await post(consoleUser('2026-01-01T13:30:00+02:00', 'Cid'))).body['status']).toBe('stale');
  });

  test('a deleted console user stays deleted, whatever the timestamps', async () => {
    await post(consoleUser('2026-01-02T00:00:00Z'));
    const deletion = { type: 'console-user.deleted', data: { id: 'u1', updated_at: '2026-01-01T00:00:00Z' } };
    expect((await post(deletion)).body['status']).toBe('accepted');
    expect((await post(consoleUser('2026-01-03T00:00:00Z', 'Bia'))).body['status']).toBe('stale');
  });

  test.each(['user.login.failed', 'company.sync.finished', 'vehicle.created', 'nonsense'])(
    'a kind outside the contract (%s) gets 202 unrecognized',
    async (kind) => {
      const { status, body } = await post({ type: kind, data: { anything: [1, 'two'] } });
      // The status says it, so no flag does.
      expect([status, body['status'], body['kind'], body['flags']]).toEqual([
        202,
        'unrecognized',
        kind,
        undefined,
      ]);
    },
  );

  test('an event without an id is a subject whose id differs between stores, so nobody can guess what it is of', async () => {
    const ids = new Set<string | undefined>();
    for (const data of [{ tax_id: '1' }, { id: 'x'.repeat(201) }]) {
      for (let store = 0; store < 2; store += 1) {
        await portaria.stop();
        await open();
        await post({ type: 'any.thing', data });
        const [event] = await portaria.store.events({}, { order: 'newest', limit: 1 });
        expect(event?.subject.id).toMatch(/^keyed-[0-9a-f]{32}$/);
        ids.add(event?.subject.id);
      }
    }
    expect(ids.size).toBe(4);
  });

  test('an unversioned subject that returns to earlier content is accepted with a flag', async () => {
    await post(charge('pending'));
    await post(charge('paid'));
    const { status, body } = await post(charge('pending'));
    expect([status, body['status'], body['flags']]).toEqual([202, 'accepted', ['ambiguous']]);
  });

  test('wrong check digits are flagged, not rejected', async () => {
    const company = { id: 3, tax_id: '12ABC34501DE36', updated_at: '2026-01-01T00:00:00Z' };
    const { status, body } = await post({ type: 'company.updated', data: company });
    expect([status, body['flags']]).toEqual([202, ['check-digits']]);
  });
});

describe('a repeated event', () => {
  test('gets 200 with the first id, whatever its key order and white space', async () => {
    const first = await post('{"type":"charge.created","data":{"id":7,"type":"fee","status":"paid"}}');
    const again = await post(
      '\n{ "data" : {"status":"p\\u0061id", "type":"fee", "id": 7.0 },\t"type":"charge.created" }',
    );
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ status: 'duplicate', id: first.body['id'] });
  });

  test('is recognised however late, if it is versioned', async () => {
    const first = await post(consoleUser('2026-01-01T00:00:00Z'));
    await post(consoleUser('2026-01-02T00:00:00Z'));
    await post(consoleUser('2026-01-03T00:00:00Z'));
    const { status, body } = await post(consoleUser('2026-01-01T00:00:00Z'));
    expect([status, body['id']]).toEqual([200, first.body['id']]);
  });

  test('is distinguished from a return to earlier content by a trusted message id', async () => {
    await portaria.stop();
    await open({ PORTARIA_TRUST_MESSAGE_ID: 'true' });
    const first = await post(charge('pending'), { headers: { 'webhook-id': 'm1' } });
    await post(charge('paid'), { headers: { 'webhook-id': 'm2' } });
    const late = await post(charge('pending'), { headers: { 'webhook-id': 'm1' } });
    const returned = await post(charge('pending'), { headers: { 'webhook-id': 'm3' } });
    expect([late.status, late.body['id']]).toEqual([200, first.body['id']]);
    expect([returned.status, returned.body['flags']]).toEqual([202, undefined]);
  });

  test('is recognised under a new message id, too', async () => {
    const first = await post(charge('pending'), { headers: { 'webhook-id': 'm1' } });
    const again = await post(charge('pending'), { headers: { 'webhook-id': 'm2' } });
    expect([again.status, again.body]).toEqual([200, { status: 'duplicate', id: first.body['id'] }]);
  });

  test('is not recognised by an untrusted message id', async () => {
    await post(charge('pending'), { headers: { 'webhook-id': 'm1' } });
    await post(charge('paid'), { headers: { 'webhook-id': 'm2' } });
    for (const id of ['m1', 'm3']) {
      const { status, body } = await post(charge('pending'), { headers: { 'webhook-id': id } });
      expect([status, body['flags']]).toEqual(id === 'm1' ? [202, ['ambiguous']] : [200, undefined]);
    }
  });

  test('with the message id of different content goes to quarantine', async () => {
    await portaria.stop();
    await open({ PORTARIA_TRUST_MESSAGE_ID: 'true' });
    await post(charge('pending'), { headers: { 'webhook-id': 'm1' } });
    const { status } = await post(charge('paid'), { headers: { 'webhook-id': 'm1' } });
    expect(status).toBe(200);
    const [entry] = await portaria.store.quarantined({}, { order: 'newest', limit: 10 });
    expect(entry?.reason).toBe('conflict');
  });
});

describe('a quarantined body', () => {
  test('gets 422 with the path of every issue if it does not match its schema', async () => {
    const sent = { type: 'charge.updated', data: { id: 7, type: 'fee', status: 'paid', amount: '92,41' } };
    const { status, body } = await post(sent);
    expect(status).toBe(422);
    expect(Object.keys(body)).toEqual(['error', 'message', 'issues', 'id']);
    expect(body).toMatchObject({
      error: 'Unprocessable Entity',
      issues: [{ path: 'data.amount', message: expect.any(String) as string }],
    });
    const entry = await portaria.store.quarantinedDelivery(String(body['id']));
    expect(Buffer.from(entry?.body ?? []).toString()).toBe(JSON.stringify(sent));
  });

  test.each([
    ['not JSON', '{"type":'],
    ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
    ['nested deeper than 64', `{"type":"x","data":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['not an envelope', '[1,2]'],
    ['without a type', '{"data":{}}'],
    ['without data', '{"type":"charge.created"}'],
    ['empty', ''],
  ])('gets 400 if it is %s', async (_what, sent) => {
    const { status, body } = await post(sent);
    expect([status, body['error']]).toEqual([400, 'Bad Request']);
    expect(body['message']).toEqual(expect.any(String));
    const entry = await portaria.store.quarantinedDelivery(String(body['id']));
    expect(Buffer.from(entry?.body ?? [])).toEqual(Buffer.from(sent as string));
  });

  test('is not too deep with 64 levels', async () => {
    const { status } = await post(`{"type":"x.y","data":${'['.repeat(63)}${']'.repeat(63)}}`);
    expect(status).toBe(202);
  });

  test('gets 202 with PORTARIA_ON_INVALID=accept', async () => {
    await portaria.stop();
    await open({ PORTARIA_ON_INVALID: 'accept' });
    const { status, body } = await post({ type: 'charge.updated', data: {} });
    expect([status, body['status']]).toEqual([202, 'quarantined']);
  });
});

describe('a rejected request', () => {
  test('gets 401 if its sender is not verified', async () => {
    await portaria.stop();
    await open({ PORTARIA_VERIFY: 'token', PORTARIA_SECRETS: 'old,new' });
    const withToken = (token: string) => post(charge('paid'), { headers: { 'x-webhook-token': token } });
    expect((await post(charge('paid'))).status).toBe(401);
    expect((await withToken('wrong')).body).toEqual({
      error: 'Unauthorized',
      message: expect.any(String) as string,
    });
    expect((await withToken('old')).status).toBe(202);
    expect((await withToken('new')).status).toBe(200);
    expect(await portaria.store.quarantined({}, { order: 'newest', limit: 10 })).toEqual([]);
  });

  test('gets 413 if its body exceeds the limit', async () => {
    await portaria.stop();
    await open({ PORTARIA_MAX_BODY: '100' });
    const { status, body } = await post(`{"type":"x.y","data":"${'x'.repeat(100)}"}`);
    expect([status, body['error']]).toEqual([413, 'Payload Too Large']);
  });

  test('gets 503 with Retry-After while stopping', async () => {
    await portaria.start();
    const stopping = portaria.stop();
    const { status, headers } = await post(charge('paid'));
    expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    await stopping;
  });

  test('gets 404 for any other path', async () => {
    expect((await portaria.app.request('/metrics')).status).toBe(404);
    expect((await portaria.app.request('/api/events')).status).toBe(404);
  });
});

describe('sources', () => {
  const secret = 's3cret';
  const sign = (body: string) => createHmac('sha256', secret).update(body).digest('hex');

  test('each source has its own scheme and its own subjects', async () => {
    await portaria.stop();
    await open({
      PORTARIA_SOURCES: JSON.stringify({ fleet: { verify: 'hmac', secrets: [secret], header: 'x-sig' } }),
    });
    const body = JSON.stringify(consoleUser('2026-01-02T00:00:00Z'));
    const older = JSON.stringify(consoleUser('2026-01-01T00:00:00Z'));
    await post(body);
    expect((await post(body, { path: '/webhooks/fleet' })).status).toBe(401);
    const signed = (json: string) =>
      post(json, { path: '/webhooks/fleet', headers: { 'x-sig': sign(json) } });
    expect((await signed(older)).body['status']).toBe('accepted');
    expect((await signed(body)).body['status']).toBe('accepted');
    expect((await signed(body)).status).toBe(200);
    expect((await post(body, { path: '/webhooks/unknown' })).status).toBe(404);
  });
});

test('each stored event reaches the handlers of its kind once', async () => {
  await portaria.start();
  await post(consoleUser('2026-01-01T00:00:00Z'));
  await post(consoleUser('2026-01-01T00:00:00Z'));
  await post({ type: 'user.login.failed', data: { id: 9 } });
  await portaria.dispatcher.idle();
  expect(handled.sort()).toEqual(['console-user.updated console-user:u1', 'user.login.failed user-login:9']);
});
