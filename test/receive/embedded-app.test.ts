/** The embedded Hono app and the public port itself respond alike. */
import { Hono } from 'hono';
import { mount } from 'hono/mount';
import { afterEach, describe, expect, test } from 'vitest';
import { PortariaError, type ErrorCode } from '../../src/kernel/errors.ts';
import { createReceiveApp } from '../../src/receive/public-port.ts';
import { connect } from '../support/raw-connection.ts';
import { startReceiving, type ReceivingServer, type ServerOptions } from '../support/receiving-server.ts';

const servers: ReceivingServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function respondTo(request: string, options: ServerOptions) {
  const server = await startReceiving(options);
  servers.push(server);
  const connection = await connect(server.port);
  connection.send(request);
  const { status, headers, body } = await connection.response();
  const { date: _date, ...constant } = headers;
  return {
    response: { status, headers: constant, body },
    received: server.received.map(({ source, headers: sent, body: bytes }) => ({ source, sent, bytes })),
    reported: server.responses,
  };
}

const failing = (code: ErrorCode): ServerOptions => ({
  receive: () => Promise.reject(new PortariaError(code, 'test error')),
});

const body = '{"type":"a.b"}';
const post = (path = '/webhooks', host = 'localhost', more = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}Content-Length: ${String(body.length)}\r\n\r\n${body}`;

const requests: Readonly<Record<string, readonly [request: string, options?: ServerOptions]>> = {
  'a webhook': [post()],
  'a named source': [post('/webhooks/default')],
  'an unknown source': [post('/webhooks/unknown')],
  'a source in capital letters': [post('/webhooks/NO_BODY')],
  'an encoded path': [post('/webhooks/%64efault')],
  'a query': [post('/webhooks?a=1')],
  'a trailing slash': [post('/webhooks/')],
  'a longer path': [post('/webhooks/default/more')],
  'an absolute address': [post('http://localhost/webhooks')],
  'another method': [post().replace('POST', 'PUT')],
  'a host with a port': [post('/webhooks', '127.0.0.1:80')],
  'the highest port': [post('/webhooks', 'localhost:65535')],
  'an invalid port': [post('/webhooks', 'localhost:65536')],
  'a much higher port': [post('/webhooks', 'localhost:99999')],
  'a host in brackets': [post('/webhooks', '[::1]:80')],
  'an underscore in the host': [post('/webhooks', 'a_b')],
  'HTTP/1.0 without a host': [post().replace('HTTP/1.1', 'HTTP/1.0').replace('Host: localhost\r\n', '')],
  'Connection: close': [post('/webhooks', 'localhost', 'Connection: close\r\n')],
  'a header sent twice': [post('/webhooks', 'localhost', 'X-A: 1\r\nX-A: 2\r\nSet-Cookie: a\r\n')],
  'a web page of another origin': [post('/webhooks', 'localhost', 'Origin: https://evil.example\r\n')],
  'a web page on another port': [post('/webhooks', 'localhost', 'Sec-Fetch-Site: same-site\r\n')],
  'a compressed body': [post('/webhooks', 'localhost', 'Content-Encoding: gzip\r\n')],
  'a body that is too large': [post(), { maxBodyBytes: 3 }],
  'HEAD of a webhook': [post().replace('POST', 'HEAD')],
  'no path': [post('/nowhere')],
  health: ['GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  'health by POST': [post('/healthz')],
  'a full store': [post(), failing('store-full')],
  'a sender that is not verified': [post(), failing('not-verified')],
  'an unexpected error': [post(), { receive: () => Promise.reject(new TypeError('test error')) }],
  'a body that does not match its schema': [
    post(),
    {
      receive: () =>
        Promise.resolve({
          status: 'rejected',
          reason: 'invalid',
          id: 'q-1',
          kind: 'a.b',
          message: 'não',
          issues: [],
        }),
    },
  ],
};

describe('the response and the delivery are the same with and without the app:', () => {
  test.each(Object.entries(requests))('%s', async (_name, [request, options = {}]) => {
    const served = await respondTo(request, options);
    const embedded = await respondTo(request, { ...options, embedded: true });
    expect(embedded).toEqual(served);
  });
});

describe('given an application that mounts the receiver under a prefix', () => {
  const mounted = (how: 'route' | 'mount') => {
    const paths: string[] = [];
    const receiver = createReceiveApp(({ path }) => {
      paths.push(path);
      return Promise.resolve({ status: 202, body: {}, headers: {} });
    });
    const app =
      how === 'route'
        ? new Hono().route('/hooks', receiver)
        : new Hono().all('/hooks/*', mount(receiver.fetch));
    return { paths, post: (path: string) => app.request(path, { method: 'POST', body }) };
  };

  test.each(['route', 'mount'] as const)('by %s, a slash at the end is the same address', async (how) => {
    const { paths, post: send } = mounted(how);
    for (const path of ['/webhooks', '/webhooks/', '/webhooks/fleet', '/webhooks/fleet/'])
      expect((await send(`/hooks${path}`)).status, path).toBe(202);
    expect(paths).toEqual(['/webhooks', '/webhooks', '/webhooks/fleet', '/webhooks/fleet']);
  });
});
