/** Plain requests pass by the app, and nobody can tell by the answers. */
import { afterEach, describe, expect, test } from 'vitest';
import { PortariaError, type ErrorCode } from '../../src/kernel/errors.ts';
import { connect } from '../support/raw-connection.ts';
import { startReceiving, type ReceivingServer, type ServerOptions } from '../support/receiving-server.ts';

const servers: ReceivingServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function answerTo(request: string, options: ServerOptions) {
  const server = await startReceiving(options);
  servers.push(server);
  const connection = await connect(server.port);
  connection.send(request);
  const { status, headers, body } = await connection.answer();
  const { date: _date, ...lasting } = headers;
  return {
    answer: { status, headers: lasting, body },
    taken: server.taken.map(({ source, headers: sent, body: bytes }) => ({ source, sent, bytes })),
    reported: server.answered,
  };
}

const failing = (code: ErrorCode): ServerOptions => ({
  receive: () => Promise.reject(new PortariaError(code, 'for this test')),
});

const body = '{"type":"a.b"}';
const post = (path = '/webhooks', host = 'localhost', more = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}Content-Length: ${String(body.length)}\r\n\r\n${body}`;

const requests: Readonly<Record<string, readonly [request: string, options?: ServerOptions]>> = {
  'a webhook': [post()],
  'a named source': [post('/webhooks/default')],
  'an unknown source': [post('/webhooks/nobody')],
  'a source that is none': [post('/webhooks/NO_BODY')],
  'an encoded path': [post('/webhooks/%64efault')],
  'a query': [post('/webhooks?a=1')],
  'a slash at the end': [post('/webhooks/')],
  'a path below': [post('/webhooks/default/more')],
  'an absolute address': [post('http://localhost/webhooks')],
  'another method': [post().replace('POST', 'PUT')],
  'a host with a port': [post('/webhooks', '127.0.0.1:80')],
  'the highest port': [post('/webhooks', 'localhost:65535')],
  'a port that is none': [post('/webhooks', 'localhost:65536')],
  'a port far beyond': [post('/webhooks', 'localhost:99999')],
  'a host in brackets': [post('/webhooks', '[::1]:80')],
  'a host that is none': [post('/webhooks', 'a_b')],
  'no host in version 1.0': [post().replace('HTTP/1.1', 'HTTP/1.0').replace('Host: localhost\r\n', '')],
  'a connection to be closed': [post('/webhooks', 'localhost', 'Connection: close\r\n')],
  'a header sent twice': [post('/webhooks', 'localhost', 'X-A: 1\r\nX-A: 2\r\nSet-Cookie: a\r\n')],
  'a page elsewhere': [post('/webhooks', 'localhost', 'Origin: https://evil.example\r\n')],
  'another port': [post('/webhooks', 'localhost', 'Sec-Fetch-Site: same-site\r\n')],
  'a compressed body': [post('/webhooks', 'localhost', 'Content-Encoding: gzip\r\n')],
  'a body that is too large': [post(), { maxBodyBytes: 3 }],
  'a full store': [post(), failing('store-full')],
  'a sender who is not believed': [post(), failing('not-verified')],
  'an error that nobody expected': [
    post(),
    { receive: () => Promise.reject(new TypeError('for this test')) },
  ],
  'what does not fit its schema': [
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

describe('given the same request, both ways give the same answer, and hand on the same:', () => {
  test.each(Object.entries(requests))('%s', async (_name, [request, options = {}]) => {
    const direct = await answerTo(request, { ...options, direct: true });
    const throughApp = await answerTo(request, { ...options, direct: false });
    expect(direct).toEqual(throughApp);
  });
});

describe('a plain request, and nothing else, passes by the app:', () => {
  const unusual = new Set([
    'a source that is none',
    'an encoded path',
    'a query',
    'a slash at the end',
    'a path below',
    'an absolute address',
    'another method',
    'a port that is none',
    'a port far beyond',
    'a host in brackets',
    'a host that is none',
    'no host in version 1.0',
  ]);

  test.each(Object.entries(requests))('%s', async (name, [request]) => {
    // Given an app that answers nothing of a webhook
    const server = await startReceiving({ app: { fetch: () => new Response() } });
    servers.push(server);
    const connection = await connect(server.port);
    // When
    connection.send(request);
    await connection.answer();
    // Then what was answered as a webhook passed it by
    expect(server.answered).toHaveLength(unusual.has(name) ? 0 : 1);
  });
});
