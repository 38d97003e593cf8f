import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HandlerContext, StoredEvent } from 'portaria';
import { testContext, testEvent } from 'portaria/testing';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config/load-config.ts';
import { isFromConfig } from '../src/handle/define/definition.ts';
import { fromConfigMark } from '../src/handle/define/marks.ts';
import { isGiveUp, isRetryLater } from '../src/handle/define/outcome.ts';
import { failureReason } from '../src/kernel/failure-reason.ts';
import fromConfiguration, { forward, type ForwardOptions } from './forward.ts';

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`;
const now = Date.UTC(2026, 10, 9, 12);

let server: Server;
let url: string;
let received: Received[];
let respond: (response: ServerResponse, request: Received) => void;

beforeEach(async () => {
  received = [];
  respond = (response) => response.writeHead(204).end();
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const whole = { method, url, headers, body: Buffer.concat(chunks).toString() };
      received.push(whole);
      respond(response, whole);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hooks?team=fleet`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const event = testEvent('charge.updated', { id: 'abc123-7', data: { id: 99 } }) as StoredEvent;

async function send(
  options: Partial<ForwardOptions> = {},
  context: Partial<HandlerContext> = {},
  of = event,
): Promise<unknown> {
  const handler = forward({ url, timeoutMs: 5000, now: () => now, ...options });
  return handler.handle(of, testContext(context));
}

/** Returns the requested outcome or the error; undefined for success. */
async function outcome(
  status: number,
  headers: Record<string, string> = {},
  context: Partial<HandlerContext> = {},
): Promise<unknown> {
  respond = (response) =>
    response.writeHead(status, headers).end('{"error":"Maria, CPF 529.982.247-25, is unknown"}');
  try {
    const requested = await send({}, context);
    if (isRetryLater(requested)) return { retryInMs: requested.ms, reason: requested.message };
    return isGiveUp(requested) ? { gaveUp: requested.reason } : undefined;
  } catch (error) {
    // What an operator reads has no line of this package's code.
    expect(failureReason(error)).not.toMatch(/ \(at |forward\.[jt]s/);
    return { threw: (error as Error).message };
  }
}

describe('a forwarded event', () => {
  it('is posted as its original envelope', async () => {
    expect(await send()).toBeUndefined();
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ method: 'POST', url: '/hooks?team=fleet' });
    expect(JSON.parse(received[0]!.body)).toEqual({ type: 'charge.updated', data: event.data });
    expect(received[0]!.headers['content-type']).toBe('application/json');
  });

  it('is signed by Standard Webhooks, with the id of the event', async () => {
    const current = Date.now();
    await send({ secret, now: () => current });
    const { body, headers } = received[0]!;
    expect(headers['webhook-id']).toBe('abc123-7');
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(current / 1000)));
    const receiver = new Webhook(secret);
    expect(receiver.verify(body, headers as Record<string, string>)).toEqual({
      type: 'charge.updated',
      data: event.data,
    });
    expect(() => receiver.verify(`${body} `, headers as Record<string, string>)).toThrow();
  });

  it('keeps its id for every attempt and replay, with their number in a header', async () => {
    await send({}, { attempt: 1 });
    await send({}, { attempt: 3, replay: true });
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(['abc123-7', 'abc123-7']);
    expect(received.map(({ headers }) => [headers['portaria-attempt'], headers['portaria-replay']])).toEqual([
      ['1', 'false'],
      ['3', 'true'],
    ]);
    expect(received[0]!.headers['webhook-signature']).toBeUndefined();
  });

  it('is described by headers', async () => {
    await send({}, {}, { ...event, verdict: 'stale', source: 'north' });
    expect(received[0]!.headers).toMatchObject({
      'portaria-kind': 'charge.updated',
      'portaria-subject': 'charge:99',
      'portaria-source': 'north',
      'portaria-verdict': 'stale',
    });
  });

  it('may have any kind and subject that a sender invents', async () => {
    const kind = 'évento\r\nx-admin: 1';
    const strange = { ...event, kind, recognized: false, subject: { family: 'x', id: 'ção' }, data: [1] };
    await send({}, {}, strange);
    expect(received[0]!.headers).toMatchObject({
      'portaria-kind': '%C3%A9vento%0D%0Ax-admin: 1',
      'portaria-subject': 'x:%C3%A7%C3%A3o',
    });
    expect(received[0]!.headers['x-admin']).toBeUndefined();
    expect(JSON.parse(received[0]!.body)).toEqual({ type: kind, data: [1] });
  });
});

describe('a response', () => {
  const host = (): string => new URL(url).host;

  it.each([200, 201, 202, 204, 299])('of %i is a success', async (status) => {
    expect(await outcome(status)).toBeUndefined();
  });

  it.each([400, 409, 413, 415, 422])('of %i is a dead letter at once', async (status) => {
    expect(await outcome(status, { 'retry-after': '5' })).toEqual({
      gaveUp: `${host()} responded with status ${status}`,
    });
  });

  it('with an error has its beginning in the reason, with personal data masked', async () => {
    const of = testEvent('user.login.started', { data: { uid: 'ana.maria' } }) as StoredEvent;
    respond = (response) =>
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(`{"error":\n  "ana.maria, CPF 529.982.247-25, is unknown","more":"${'x'.repeat(300)}"}`);
    const requested = await send({}, {}, of);
    const reason = isGiveUp(requested) ? requested.reason : '';
    expect(reason).toContain(
      `${host()} responded with status 400: "{ error : ***, CPF <cpf>, is unknown , more : xxx`,
    );
    expect(reason).toMatch(/x…"$/u);
    expect(reason.length).toBeLessThan(300);
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 599])('of %i is retried', async (status) => {
    expect(await outcome(status)).toEqual({ threw: `${host()} responded with status ${status}` });
  });

  it.each([401, 402, 403, 404, 405, 406, 410, 414, 418, 421, 426, 428, 431, 451])(
    'of %i is retried as a failure of the target, also with Retry-After',
    async (status) => {
      const failure = { threw: `${host()} responded with status ${status}` };
      expect(await outcome(status)).toEqual(failure);
      expect(await outcome(status, { 'retry-after': '5' })).toEqual(failure);
    },
  );

  it('is a dead letter by the configured statuses only', async () => {
    respond = (response, { headers }) => response.writeHead(Number(headers['portaria-attempt'])).end();
    const isGivenUp = async (status: number, giveUp: readonly number[]): Promise<boolean> =>
      isGiveUp(await send({ giveUp }, { attempt: status }).catch(() => undefined));
    expect(await isGivenUp(404, [404, 501])).toBe(true);
    expect(await isGivenUp(501, [404, 501])).toBe(true);
    expect(await isGivenUp(422, [404, 501])).toBe(false);
    expect(await isGivenUp(400, [])).toBe(false);
  });

  it('is judged by the default of PORTARIA_FORWARD_GIVE_UP', async () => {
    const { forward: configured } = loadConfig({ PORTARIA_FORWARD_URL: url }, '/');
    for (const status of configured?.giveUp ?? [0]) expect(await outcome(status)).toHaveProperty('gaveUp');
    expect(configured?.giveUp).toHaveLength(5);
  });

  it.each([429, 503])('of %i with Retry-After is retried after that time', async (status) => {
    const reason = `${host()} responded with status ${status}`;
    expect(await outcome(status, { 'retry-after': '7' })).toEqual({ retryInMs: 7000, reason });
    const date = new Date(now + 90_000).toUTCString();
    expect(await outcome(status, { 'retry-after': date })).toEqual({ retryInMs: 90_000, reason });
    expect(await outcome(status, { 'retry-after': '0' })).toEqual({ retryInMs: 1000, reason });
    expect(await outcome(status, { 'retry-after': '86400' })).toEqual({ retryInMs: 3_600_000, reason });
    expect(await outcome(status, { 'retry-after': 'soon' })).toEqual({ threw: reason });
  });

  it.each([429, 503])('of %i with a short Retry-After does not use up the attempts', async (status) => {
    const soon = { 'retry-after': '1' };
    const reason = `${host()} responded with status ${status}`;
    expect(await outcome(status, soon, { attempt: 6 })).toEqual({ retryInMs: 32_000, reason });
    expect(await outcome(status, soon, { attempt: 20 })).toEqual({ retryInMs: 1_800_000, reason });
  });

  it.each([
    [429, 2_000],
    [503, 2_000],
    [408, undefined],
    [500, undefined],
  ])(
    'of %i with Retry-After closes its rate for %s ms, however long its own wait is',
    async (status, rateMs) => {
      respond = (response) => response.writeHead(status, { 'retry-after': '2' }).end();
      const rate = { limit: 1, per: 'second' } as const;
      expect(await send({ rate }, { attempt: 6 })).toMatchObject({ ms: 32_000, rateMs });
    },
  );

  it.each([301, 302, 303, 307, 308, 304])('of %i is not followed', async (status) => {
    const other = `http://${host()}/elsewhere`;
    expect(await outcome(status, { location: other })).toEqual({
      threw: `${host()} responded with status ${status}: redirects are not followed, configure the final URL`,
    });
    expect(received).toHaveLength(1);
  });

  it('is read to its end, so that the connection is reused', async () => {
    const ports = new Set<number | undefined>();
    respond = (response) => {
      ports.add(response.socket?.remotePort);
      response.end('x'.repeat(60_000));
    };
    for (let count = 0; count < 6; count += 1) await send();
    // A second connection opens when the first is not free yet.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('that never ends is a success, and its connection is closed', async () => {
    let written = 0;
    let closed = (): void => undefined;
    const cut = new Promise<void>((resolve) => (closed = resolve));
    respond = (response) => {
      response.on('close', closed);
      const write = (): void => {
        while (response.write('x'.repeat(16_384))) written += 16_384;
        response.once('drain', write);
      };
      write();
    };
    expect(await send()).toBeUndefined();
    await cut;
    // The rest was in the buffers of the sockets.
    expect(written).toBeLessThan(24 * 1024 * 1024);
  });

  it('that breaks off after its status counts by its status', async () => {
    respond = (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    };
    expect(await send()).toBeUndefined();
  });
});

describe('a missing response', () => {
  it('is retried, with the code of the system error', async () => {
    respond = (response) => response.destroy();
    await expect(send()).rejects.toThrow(/^no response from 127\.0\.0\.1:\d+: UND_ERR_SOCKET$/);
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    await expect(send()).rejects.toThrow(/^no response from 127\.0\.0\.1:\d+: ECONNREFUSED$/);
  });

  it('ends with the reason of the signal', async () => {
    const timeout = new AbortController();
    respond = () => {
      timeout.abort(new Error('timed out after 5000 ms'));
    };
    await expect(send({}, { signal: timeout.signal })).rejects.toThrow(/: timed out after 5000 ms$/);
  });

  it('is reported with the host only, without path and query', async () => {
    respond = (response) => response.destroy();
    await expect(send()).rejects.not.toThrow(/team|hooks/);
  });
});

describe('the handler', () => {
  it('takes every event, in order for each subject, and retries for hours', () => {
    const handler = forward({ url, timeoutMs: 1234 });
    expect(handler).toMatchObject({
      name: 'forward',
      on: ['*'],
      stale: true,
      order: 'subject',
      timeoutMs: 1234,
    });
    expect(handler.retry).toEqual({ attempts: 24, baseMs: 1000, maxMs: 1_800_000 });
    expect(forward({ url, timeoutMs: 1, name: 'billing', retry: { attempts: 2 } })).toMatchObject({
      name: 'billing',
      retry: { attempts: 2 },
    });
  });

  it('exists when a target is configured', () => {
    if (!isFromConfig(fromConfiguration)) throw new TypeError('forward.ts does not export a fromConfig');
    expect(fromConfiguration[fromConfigMark]({ forward: null })).toBeUndefined();
    const target = { url, secret, timeoutMs: 777, giveUp: [400] };
    expect(fromConfiguration[fromConfigMark]({ forward: target })).toMatchObject({
      name: 'forward',
      timeoutMs: 777,
    });
  });

  it.each([
    ['a URL without a scheme', { url: 'example.com/hooks' }, /begins with http:\/\//],
    ['a URL of another scheme', { url: 'file:///etc/passwd' }, /begins with http:\/\//],
    [
      'a URL with a password',
      { url: 'https://me:hunter2@example.com/' },
      /must not contain a user name or password/,
    ],
    ['a secret that is not base64', { secret: 'whsec_not base64!' }, /must be base64/],
    ['an empty secret', { secret: 'whsec_' }, /must be base64/],
  ])('rejects %s, without repeating it', (_, change, message) => {
    const make = (): unknown => forward({ url, timeoutMs: 1, ...change });
    expect(make).toThrow(message);
    expect(make).not.toThrow(/hunter2|not base64!/);
  });
});
