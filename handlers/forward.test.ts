import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HandlerContext, StoredEvent } from 'portaria';
import { testContext, testEvent } from 'portaria/testing';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFromConfig } from '../src/handle/define/definition.ts';
import { fromConfigMark } from '../src/handle/define/marks.ts';
import { isGiveUp, isRetryLater } from '../src/handle/define/outcome.ts';
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
let answer: (response: ServerResponse, request: Received) => void;

beforeEach(async () => {
  received = [];
  answer = (response) => response.writeHead(204).end();
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const whole = { method, url, headers, body: Buffer.concat(chunks).toString() };
      received.push(whole);
      answer(response, whole);
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

/** What a wish says; undefined for success. */
async function outcome(
  status: number,
  headers: Record<string, string> = {},
  context: Partial<HandlerContext> = {},
): Promise<unknown> {
  answer = (response) =>
    response.writeHead(status, headers).end('{"error":"Maria, CPF 529.982.247-25, is unknown"}');
  try {
    const wish = await send({}, context);
    if (isRetryLater(wish)) return { retryInMs: wish.ms, reason: wish.message };
    return isGiveUp(wish) ? { gaveUp: wish.reason } : undefined;
  } catch (error) {
    return { threw: (error as Error).message };
  }
}

describe('what is forwarded', () => {
  it('is the original envelope, posted', async () => {
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

  it('keeps its id at every try and every replay, and says which it is', async () => {
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

  it('may be of any kind and subject that a sender makes up', async () => {
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

describe('an answer', () => {
  const host = (): string => new URL(url).host;

  it.each([200, 201, 202, 204, 299])('of %i is success', async (status) => {
    expect(await outcome(status)).toBeUndefined();
  });

  it.each([400, 401, 403, 404, 409, 410, 413, 422, 431])('of %i is a dead letter at once', async (status) => {
    expect(await outcome(status, { 'retry-after': '5' })).toEqual({ gaveUp: `${host()} answered ${status}` });
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 599])('of %i is tried again', async (status) => {
    expect(await outcome(status)).toEqual({ threw: `${host()} answered ${status}` });
  });

  it.each([429, 503])('of %i with Retry-After is tried again then', async (status) => {
    const reason = `${host()} answered ${status}`;
    expect(await outcome(status, { 'retry-after': '7' })).toEqual({ retryInMs: 7000, reason });
    const date = new Date(now + 90_000).toUTCString();
    expect(await outcome(status, { 'retry-after': date })).toEqual({ retryInMs: 90_000, reason });
    expect(await outcome(status, { 'retry-after': 'soon' })).toEqual({ threw: reason });
  });

  it.each([429, 503])('of %i that asks to come back soon does not use up the tries', async (status) => {
    const soon = { 'retry-after': '1' };
    const reason = `${host()} answered ${status}`;
    expect(await outcome(status, soon, { attempt: 6 })).toEqual({ retryInMs: 32_000, reason });
    expect(await outcome(status, soon, { attempt: 20 })).toEqual({ retryInMs: 1_800_000, reason });
  });

  it.each([301, 302, 303, 307, 308, 304])('of %i is not followed', async (status) => {
    const other = `http://${host()}/elsewhere`;
    expect(await outcome(status, { location: other })).toEqual({
      threw: `${host()} answered ${status}: redirects are not followed, set the address that it leads to`,
    });
    expect(received).toHaveLength(1);
  });

  it('is read to its end, so that the connection is used again', async () => {
    const ports = new Set<number | undefined>();
    answer = (response) => {
      ports.add(response.socket?.remotePort);
      response.end('x'.repeat(60_000));
    };
    for (let count = 0; count < 6; count += 1) await send();
    // A second one where the first was not yet free again.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('that never ends does not hold a success up, and its connection is closed', async () => {
    let poured = 0;
    let closed = (): void => undefined;
    const cut = new Promise<void>((resolve) => (closed = resolve));
    answer = (response) => {
      response.on('close', closed);
      const pour = (): void => {
        while (response.write('x'.repeat(16_384))) poured += 16_384;
        response.once('drain', pour);
      };
      pour();
    };
    expect(await send()).toBeUndefined();
    await cut;
    // What was not read lay in the sockets.
    expect(poured).toBeLessThan(24 * 1024 * 1024);
  });

  it('that breaks off after its status is decided by the status', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    };
    expect(await send()).toBeUndefined();
  });
});

describe('no answer', () => {
  it('is tried again, and says what the system said', async () => {
    answer = (response) => response.destroy();
    await expect(send()).rejects.toThrow(/^no answer from 127\.0\.0\.1:\d+: UND_ERR_SOCKET$/);
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    await expect(send()).rejects.toThrow(/^no answer from 127\.0\.0\.1:\d+: ECONNREFUSED$/);
  });

  it('ends with the signal', async () => {
    const timeout = new AbortController();
    answer = () => {
      timeout.abort(new Error('timed out after 5000 ms'));
    };
    await expect(send({}, { signal: timeout.signal })).rejects.toThrow(/: timed out after 5000 ms$/);
  });

  it('names no more of the address than its host', async () => {
    answer = (response) => response.destroy();
    await expect(send()).rejects.not.toThrow(/team|hooks/);
  });
});

describe('the handler', () => {
  it('takes everything, in order for each subject, for hours', () => {
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

  it('is there when an address is configured', () => {
    if (!isFromConfig(fromConfiguration)) throw new TypeError('not made from the configuration');
    expect(fromConfiguration[fromConfigMark]({ forward: null })).toBeUndefined();
    const target = { url, secret, timeoutMs: 777 };
    expect(fromConfiguration[fromConfigMark]({ forward: target })).toMatchObject({
      name: 'forward',
      timeoutMs: 777,
    });
  });

  it.each([
    ['an address without a scheme', { url: 'example.com/hooks' }, /begins with http:\/\//],
    ['an address of another scheme', { url: 'file:///etc/passwd' }, /begins with http:\/\//],
    [
      'an address with a password',
      { url: 'https://me:hunter2@example.com/' },
      /must not hold a user name or password/,
    ],
    ['a secret that is not base64', { secret: 'whsec_not base64!' }, /must be base64/],
    ['an empty secret', { secret: 'whsec_' }, /must be base64/],
  ])('refuses %s, without repeating it', (_, change, message) => {
    const make = (): unknown => forward({ url, timeoutMs: 1, ...change });
    expect(make).toThrow(message);
    expect(make).not.toThrow(/hunter2|not base64!/);
  });
});
