/** Connections, limits and errors of the HTTP server, over real sockets. */
import { once } from 'node:events';
import { STATUS_CODES } from 'node:http';
import { Hono } from 'hono';
import { expect, onTestFinished, test } from 'vitest';
import { listenProvider, type ListenLimits } from '../http/listen-provider.ts';
import { connect } from '../../test/support/raw-connection.ts';
import { openTestProvider } from './kit/test-provider.ts';

async function connected(limits: Partial<ListenLimits> = {}) {
  const { app, ours, logged } = await openTestProvider();
  const { port, close } = await listenProvider(app, '127.0.0.1', 0, { limits });
  const connection = await connect(port);
  onTestFinished(async () => {
    connection.socket.destroy();
    await close();
  });
  const head = (first: string, ...headers: string[]) =>
    [`${first} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');
  return {
    ...connection,
    port,
    key: ours.key,
    logged,
    head,
    ask: (path: string) => {
      connection.send(head(`GET ${path}`, `x-api-key: ${ours.key}`));
      return connection.response();
    },
    /** A body of so many bytes, in chunks or with its length told. */
    post: (bytes: number, key = ours.key, inChunks = false) => {
      const length = inChunks ? 'transfer-encoding: chunked' : `content-length: ${String(bytes)}`;
      connection.send(
        head('POST /v1/companies', `x-api-key: ${key}`, 'content-type: application/json', length),
      );
      const body = 'a'.repeat(bytes);
      connection.send(inChunks ? `${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body);
      return connection.response();
    },
  };
}

test.each([
  ['too large', 1_100_000, undefined, false, 413],
  ['far too large', 5_000_000, undefined, false, 413],
  ['too large, in chunks', 1_100_000, undefined, true, 413],
  ['of somebody unknown', 1_000_000, 'fdc_guessed', false, 401],
])(
  'after a body that is %s the connection takes the next request',
  async (_, bytes, key, inChunks, status) => {
    const { ask, post } = await connected();

    for (let time = 0; time < 2; time += 1) {
      expect((await post(bytes, key, inChunks)).status).toBe(status);
      expect((await ask('/v1/companies')).status).toBe(200);
    }
  },
);

test('keeps idle connections longer than common proxies do', async () => {
  const { ask } = await connected();

  const { headers } = await ask('/openapi.json');

  expect(headers['keep-alive']).toBe('timeout=65');
});

/** Limits short enough for tests. */
const soon = { headersMs: 250, requestMs: 500, checkEveryMs: 20 };

const HEAD = 'POST /v1/companies HTTP/1.1\r\nHost: localhost\r\n';

test.each([
  ['nothing at all', ''],
  ['half a head', HEAD],
  [
    'a head, and half a body',
    `${HEAD}x-api-key: KEY\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
  ],
  [
    'half a body of somebody unknown',
    `${HEAD}content-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
  ],
])('disconnects a client that sends %s, and serves all others meanwhile', async (_, bytes) => {
  const { port, key, send, closed, logged } = await connected(soon);
  const other = await connect(port);
  onTestFinished(() => {
    other.socket.destroy();
  });

  send(bytes.replace('KEY', key));
  other.send(`GET /v1/companies HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${key}\r\n\r\n`);

  expect((await other.response()).status).toBe(200);
  await closed;
  expect(logged).toEqual([]);
});

test('responds to a late request with an error of the usual shape', async () => {
  const { send, response } = await connected(soon);
  send(HEAD);

  const { status, headers, body } = await response();

  expect([status, headers['connection'], headers['content-type']]).toEqual([
    408,
    'close',
    'application/json',
  ]);
  expect(JSON.parse(body)).toEqual({
    error: 'Request Timeout',
    message: 'The request took too long to arrive',
  });
});

test.each([
  ['no HTTP', 'HELO\r\n\r\n', 400, 'The request is not HTTP'],
  ['a head without end', `${HEAD}x: ${'a'.repeat(20_000)}`, 431, 'The headers are too long'],
])('responds with an error to a client that sends %s', async (_, bytes, status, message) => {
  const { send, response: answer, closed } = await connected();
  send(bytes);

  const answered = await answer();

  expect([answered.status, JSON.parse(answered.body)]).toEqual([
    status,
    { error: STATUS_CODES[status], message },
  ]);
  await closed;
});

/** Serves a stream and a response that last until the test ends them, and records what a client reads. */
async function streaming() {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const app = new Hono();
  const asked: string[] = [];
  app.get('/stream', () => {
    asked.push('stream');
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (stream = controller) });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  app.get('/slow', () => {
    asked.push('slow');
    return new Promise(() => undefined);
  });
  const { port, close } = await listenProvider(app, '127.0.0.1', 0);
  const connection = await connect(port);
  onTestFinished(async () => {
    connection.socket.destroy();
    await close();
  });
  let read = '';
  connection.socket.on('data', (text) => (read += String(text)));
  return {
    ...connection,
    asked,
    read: () => read,
    write: (text: string) => stream?.enqueue(Buffer.from(text)),
  };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

test.each([
  ['and a request that waits behind it', get('/slow'), ['stream', 'slow']],
  ['alone', '', ['stream']],
])(
  'cuts a stream (%s) when something other than HTTP follows, without writing into it',
  async (_, behind, paths) => {
    const { send, socket, closed, asked, read, write } = await streaming();
    send(get('/stream') + behind);
    while (asked.length < paths.length) await new Promise(setImmediate);
    write('data: 1\n\n');
    while (!read().includes('data: 1')) await once(socket, 'data');

    send('HELO\r\n\r\n');
    await closed;

    expect(asked).toEqual(paths);
    expect(read().split('\r\n\r\n').slice(1)).toEqual(['9\r\ndata: 1\n\n\r\n']);
  },
);

test('sends the response to a request before the error for what follows it', async () => {
  const { send, closed, asked, read } = await streaming();
  send(get('/slow'));
  while (asked.length < 1) await new Promise(setImmediate);

  send('HELO\r\n\r\n');
  await closed;

  expect(read()).toBe('');
});

test('rejects what is not HTTP after the earlier responses are finished', async () => {
  const { ask, send, response: answer, closed } = await connected();
  expect((await ask('/v1/companies')).status).toBe(200);

  send('HELO\r\n\r\n');

  expect((await answer()).status).toBe(400);
  await closed;
});

test('closes further connections at the maximum, and keeps the open ones', async () => {
  const { port, ask } = await connected({ maxConnections: 2 });
  const second = await connect(port);
  const third = await connect(port);
  onTestFinished(() => {
    second.socket.destroy();
    third.socket.destroy();
  });

  await third.closed;
  expect((await ask('/v1/companies')).status).toBe(200);
});

test.each([
  ['Expect: x', 417, 'Only Expect: 100-continue is supported'],
  ['Transfer-Encoding: gzip, chunked', 501, 'The only supported Transfer-Encoding is chunked'],
])(
  'given requests with %s, responds to the first one and ends the connection',
  async (line, status, message) => {
    const { send, head, response, closed } = await connected();

    send(head('GET /openapi.json', line).repeat(1_000));

    const { status: actual, headers, body } = await response();
    expect([actual, headers['connection'], JSON.parse(body)]).toEqual([
      status,
      'close',
      { error: STATUS_CODES[status], message },
    ]);
    await closed;
    await expect(response()).rejects.toThrow('the connection ended');
  },
);

test('sends 100 Continue only for a body that is read', async () => {
  const { send, head, key, response } = await connected();
  const expecting = (...headers: string[]) =>
    head('POST /v1/companies', 'Expect: 100-continue', 'Content-Type: application/json', ...headers);

  send(expecting(`x-api-key: ${key}`, 'Content-Length: 2'));
  expect((await response()).status).toBe(100);
  send('{}');
  expect((await response()).status).toBe(400);

  send(expecting('Content-Length: 2'));
  expect((await response()).status).toBe(401);
});

test('handles at most a hundred pipelined requests of a connection at once', async () => {
  let begun = 0;
  let respond = (): void => undefined;
  const blocked = new Promise<void>((resolve) => {
    respond = resolve;
  });
  const app = new Hono();
  app.get('/slow', async (c) => {
    begun += 1;
    await blocked;
    return c.body(null);
  });
  const { port, close } = await listenProvider(app, '127.0.0.1', 0);
  const connection = await connect(port);
  onTestFinished(async () => {
    connection.socket.destroy();
    await close();
  });

  connection.send(get('/slow').repeat(20_000));
  for (let same = 0, last = -1; same < 2_000; same = begun === last ? same + 1 : 0) {
    last = begun;
    await new Promise(setImmediate);
  }

  expect(begun).toBe(100);
  connection.socket.destroy();
  respond();
});
