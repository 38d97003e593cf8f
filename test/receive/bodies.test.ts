/** Bodies over real sockets: whole, too large, cut off, slow, compressed. */
import { request } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { connect, type RawConnection } from '../support/raw-connection.ts';
import { startReceiving, type ReceivingServer, type ServerOptions } from '../support/receiving-server.ts';

let server: ReceivingServer;

async function open(options: ServerOptions = {}): Promise<RawConnection> {
  server = await startReceiving(options);
  return connect(server.port);
}

afterEach(() => server.stop());

function head(headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `POST /webhooks HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

function post(body: string, headers: Readonly<Record<string, string>> = {}): string {
  return head({ 'Content-Length': String(Buffer.byteLength(body)), ...headers }) + body;
}

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

function bodies(): readonly string[] {
  return server.taken.map(({ body }) => Buffer.from(body).toString());
}

async function untilRefused(): Promise<void> {
  await vi.waitFor(() => {
    expect(server.answered).toMatchObject([{ status: 408, result: 'body-incomplete' }]);
  });
}

describe('a whole body', () => {
  test('is handed on byte for byte, however it is cut on its way', async () => {
    const connection = await open();
    const bytes = Buffer.from([0x7b, 0xff, 0x00, 0xc3, 0xa9, 0x7d]);
    connection.send(head({ 'Content-Length': String(bytes.length) }));
    for (const byte of bytes) connection.send(Uint8Array.of(byte));
    expect(await connection.answer()).toMatchObject({ status: 202 });
    expect(Buffer.from(server.taken[0]?.body ?? [])).toEqual(bytes);
  });

  test('may come in chunks', async () => {
    const connection = await open();
    connection.send(head({ 'Transfer-Encoding': 'chunked' }) + chunk('{"a":') + chunk('1}') + '0\r\n\r\n');
    expect(await connection.answer()).toMatchObject({ status: 202, body: expect.stringContaining('"t-1"') });
    expect(bodies()).toEqual(['{"a":1}']);
  });

  test('may wait to be asked for', async () => {
    const connection = await open();
    connection.send(head({ 'Content-Length': '2', Expect: '100-continue' }));
    expect(await connection.answer()).toMatchObject({ status: 100 });
    connection.send('{}');
    expect(await connection.answer()).toMatchObject({ status: 202 });
  });

  test('may be empty', async () => {
    const connection = await open();
    connection.send(post(''));
    expect(await connection.answer()).toMatchObject({ status: 202 });
    expect(bodies()).toEqual(['']);
  });

  test('a header that is sent twice is handed on as both', async () => {
    const connection = await open();
    connection.send(post('{}', { 'X-Webhook-Token': 'one', 'x-webhook-token': 'two' }));
    await connection.answer();
    expect(server.taken[0]?.headers['x-webhook-token']).toBe('one, two');
  });
});

describe('connections', () => {
  test('are kept for the next request', async () => {
    const connection = await open();
    for (const id of ['t-1', 't-2', 't-3']) {
      connection.send(post('{}'));
      expect(await connection.answer()).toMatchObject({ status: 202, body: expect.stringContaining(id) });
    }
  });

  test('answer pipelined requests in their order', async () => {
    const release = new Map<string, () => void>();
    const connection = await open({
      receive: ({ body }) =>
        new Promise((resolve) => {
          const id = Buffer.from(body).toString();
          release.set(id, () => {
            resolve({ status: 'accepted', id, kind: 'a.b', flags: [] });
          });
        }),
    });
    connection.send(post('a') + post('b') + post('c'));
    await vi.waitFor(() => {
      expect(release.size).toBe(3);
    });
    for (const id of ['c', 'b', 'a']) release.get(id)?.();
    for (const id of ['a', 'b', 'c'])
      expect(await connection.answer()).toMatchObject({ body: expect.stringContaining(`"id":"${id}"`) });
  });

  test('are worked on a hundred at a time, and the others wait', async () => {
    const connection = await open({ receive: () => new Promise(() => undefined) });
    connection.send(post('{}').repeat(200));
    await vi.waitFor(() => {
      expect(server.taken).toHaveLength(100);
    });
    connection.send(post('{}').repeat(100));
    // What another connection sends is answered meanwhile
    const other = await connect(server.port);
    other.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await other.answer()).toMatchObject({ status: 200 });
    expect(connection.socket.destroyed).toBe(false);
    expect(server.taken).toHaveLength(100);
  });

  test.each(['HTTP/0.9', 'HTTP/2.0', ''])(
    'are not believed after a request of version "%s"',
    async (version) => {
      const connection = await open();
      const odd = post('{"n":1}').replace(' HTTP/1.1', version === '' ? '' : ` ${version}`);

      connection.send(odd + post('{"n":2}'));

      expect(await connection.answer()).toMatchObject({ status: 400 });
      await connection.closed;
      expect(bodies()).toEqual([]);
    },
  );

  test('are not believed any more after a request that names no host', async () => {
    const connection = await open();
    connection.send(post('{}').replace('Host: localhost\r\n', '') + post('{}'));
    expect(await connection.answer()).toMatchObject({
      status: 400,
      headers: { connection: 'close' },
      body: '{"error":"Bad Request","message":"The request names no host"}',
    });
    await connection.closed;
    expect(server.taken).toEqual([]);
  });

  test('are not believed any more after a request that names two hosts', async () => {
    const connection = await open();
    connection.send(post('{}', { HOST: 'elsewhere' }) + post('{}'));
    expect(await connection.answer()).toMatchObject({
      status: 400,
      headers: { connection: 'close' },
      body: '{"error":"Bad Request","message":"The request names more than one host"}',
    });
    await connection.closed;
    expect(server.taken).toEqual([]);
  });

  test('a refused request does not spoil the one behind it', async () => {
    const connection = await open();
    connection.send(post('x'.repeat(2_000)) + post('{}'));
    expect(await connection.answer()).toMatchObject({ status: 413 });
    expect(await connection.answer()).toMatchObject({ status: 202 });
    expect(bodies()).toEqual(['{}']);
  });
});

describe('a body over the limit', () => {
  test('is refused by what it announces, before it comes', async () => {
    const connection = await open();
    connection.send(head({ 'Content-Length': '1001' }));
    expect(await connection.answer()).toMatchObject({
      status: 413,
      body: '{"error":"Payload Too Large","message":"The body is larger than 1000 bytes"}',
    });
  });

  test('is refused while it comes, as soon as it is over', async () => {
    const connection = await open();
    connection.send(head({ 'Transfer-Encoding': 'chunked' }) + chunk('x'.repeat(600)));
    connection.send(chunk('x'.repeat(600)));
    // The rest has not been sent.
    expect(await connection.answer()).toMatchObject({ status: 413 });
    expect(server.taken).toEqual([]);
  });

  test('of the limit exactly is not over it', async () => {
    const connection = await open();
    connection.send(post('x'.repeat(1_000)));
    connection.send(head({ 'Transfer-Encoding': 'chunked' }) + chunk('x'.repeat(1_000)) + '0\r\n\r\n');
    expect([(await connection.answer()).status, (await connection.answer()).status]).toEqual([202, 202]);
  });

  test.each([{}, { 'transfer-encoding': 'chunked' }])(
    'lets a sender that sends megabytes first see the answer (%j)',
    async (headers) => {
      server = await startReceiving();
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const outgoing = request(
          { port: server.port, path: '/webhooks', method: 'POST', headers },
          (answer) => {
            answer.resume().once('end', () => {
              resolve(answer.statusCode);
            });
          },
        );
        outgoing.once('error', reject).end(Buffer.alloc(8 * 2 ** 20));
      });
      expect(status).toBe(413);
    },
  );

  test('without an end is cut off, and holds no connection', async () => {
    const connection = await open();
    connection.send(head({ 'Transfer-Encoding': 'chunked' }) + chunk('x'.repeat(2_000)));
    expect(await connection.answer()).toMatchObject({ status: 413 });
    await vi.waitFor(() => {
      expect(server.clock.untilNext).toBe(500);
    });
    server.clock.advance(500);
    await connection.closed;
  });

  test('byte by byte is refused long before it is large, and cut off', async () => {
    const connection = await open({ maxBodyBytes: 1_000_000 });
    connection.send(head({ 'Transfer-Encoding': 'chunked' }) + chunk('x').repeat(4_300));
    expect(await connection.answer()).toMatchObject({
      status: 413,
      body: '{"error":"Payload Too Large","message":"The body comes in too many pieces"}',
    });
    connection.send(chunk('x').repeat(2_000));
    await connection.closed;
    expect(server.taken).toEqual([]);
  });

  test('in more pieces than anybody needs is taken when these are not tiny', async () => {
    const connection = await open({ maxBodyBytes: 1_000_000 });
    connection.send(
      `${head({ 'Transfer-Encoding': 'chunked' })}${chunk('x'.repeat(40)).repeat(6_000)}0\r\n\r\n`,
    );
    expect(await connection.answer()).toMatchObject({ status: 202 });
    expect(server.taken[0]?.body).toHaveLength(240_000);
  });
});

describe('a body that does not come', () => {
  test('in whole is never handed on', async () => {
    const connection = await open();
    connection.send(head({ 'Content-Length': '100' }) + '{"type":');
    await vi.waitFor(() => {
      expect(server.clock.untilNext).toBe(400);
    });
    connection.socket.destroy();
    await untilRefused();
    expect(server.taken).toEqual([]);
  });

  test.each([
    ['announced', head({ 'Content-Length': '100' }) + '{}'],
    ['chunked', head({ 'Transfer-Encoding': 'chunked' }) + chunk('{}')],
  ])('in whole is never handed on, even if what came is JSON (%s)', async (_name, bytes) => {
    const connection = await open();
    connection.send(bytes);
    connection.socket.end();
    await untilRefused();
    expect(server.taken).toEqual([]);
  });

  test.each([true, false])(
    'in time answers 408, and its connection ends (past the app: %s)',
    async (direct) => {
      const connection = await open({ direct });
      connection.send(head({ 'Content-Length': '100' }) + '{"type":');
      await vi.waitFor(() => {
        expect(server.clock.untilNext).toBe(400);
      });
      server.clock.advance(399);
      expect(server.answered).toEqual([]);
      server.clock.advance(1);
      const answer = await connection.answer();
      expect(answer).toMatchObject({
        status: 408,
        headers: { connection: 'close' },
        body: '{"error":"Request Timeout","message":"The body took longer than 400 ms to arrive"}',
      });
      expect(answer.headers).not.toHaveProperty('keep-alive');
      await connection.closed;
      expect(server.taken).toEqual([]);
    },
  );

  test('a body that has come leaves no timer behind', async () => {
    const connection = await open();
    connection.send(post('{}'));
    await connection.answer();
    // But the listener's own, which looks after connections.
    expect(server.clock.untilNext).toBe(1_000);
  });
});

test('a compressed body answers 415, unread', async () => {
  const connection = await open();
  connection.send(post('x', { 'Content-Encoding': 'gzip' }));
  expect(await connection.answer()).toMatchObject({ status: 415 });
  connection.send(post('{}', { 'Content-Encoding': 'identity' }));
  expect(await connection.answer()).toMatchObject({ status: 202 });
  expect(bodies()).toEqual(['{}']);
});
