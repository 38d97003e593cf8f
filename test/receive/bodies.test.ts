/** Bodies over real sockets: complete, too large, truncated, slow, compressed. */
import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { untilPasses } from '../support/eventually.ts';
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
  return server.received.map(({ body }) => Buffer.from(body).toString());
}

async function untilRejected(): Promise<void> {
  await untilPasses(() => {
    expect(server.responses).toMatchObject([{ status: 408, result: 'body-incomplete' }]);
  });
}

describe('a complete body', () => {
  test('is passed on byte for byte, however the network splits it', async () => {
    const connection = await open();
    const bytes = Buffer.from([0x7b, 0xff, 0x00, 0xc3, 0xa9, 0x7d]);
    connection.send(head({ 'Content-Length': String(bytes.length) }));
    for (const byte of bytes) connection.send(Uint8Array.of(byte));
    expect(await connection.response()).toMatchObject({ status: 202 });
    expect(Buffer.from(server.received[0]?.body ?? [])).toEqual(bytes);
  });

  test('may be chunked', async () => {
    const connection = await open();
    connection.send(head({ 'Transfer-Encoding': 'chunked' }) + chunk('{"a":') + chunk('1}') + '0\r\n\r\n');
    expect(await connection.response()).toMatchObject({
      status: 202,
      body: expect.stringContaining('"t-1"'),
    });
    expect(bodies()).toEqual(['{"a":1}']);
  });

  test('may wait for 100 Continue', async () => {
    const connection = await open();
    connection.send(head({ 'Content-Length': '2', Expect: '100-continue' }));
    expect(await connection.response()).toMatchObject({ status: 100 });
    connection.send('{}');
    expect(await connection.response()).toMatchObject({ status: 202 });
  });

  test('may be empty', async () => {
    const connection = await open();
    connection.send(post(''));
    expect(await connection.response()).toMatchObject({ status: 202 });
    expect(bodies()).toEqual(['']);
  });

  test('in several requests of one packet are told apart, empty ones too', async () => {
    const connection = await open();
    const sent = ['{"a":1}', '', '{"b":2}', '{"c":3}'];
    connection.send(sent.map((body) => post(body)).join(''));
    for (const _body of sent) expect(await connection.response()).toMatchObject({ status: 202 });
    expect(bodies()).toEqual(sent);
  });

  test('whose last byte is late is awaited, with a timeout', async () => {
    const connection = await open();
    connection.send(post('{"a":1}').slice(0, -1));
    await untilPasses(() => {
      expect(server.clock.untilNext).toBe(400);
    });
    connection.send('}');
    expect(await connection.response()).toMatchObject({ status: 202 });
    expect(bodies()).toEqual(['{"a":1}']);
  });

  test('has both values of a header that is sent twice', async () => {
    const connection = await open();
    connection.send(post('{}', { 'X-Webhook-Token': 'one', 'x-webhook-token': 'two' }));
    await connection.response();
    expect(server.received[0]?.headers['x-webhook-token']).toBe('one, two');
  });
});

describe('connections', () => {
  test('stay open for the next request', async () => {
    const connection = await open();
    for (const id of ['t-1', 't-2', 't-3']) {
      connection.send(post('{}'));
      expect(await connection.response()).toMatchObject({ status: 202, body: expect.stringContaining(id) });
    }
  });

  test('carry the responses to pipelined requests in order', async () => {
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
    await untilPasses(() => {
      expect(release.size).toBe(3);
    });
    for (const id of ['c', 'b', 'a']) release.get(id)?.();
    for (const id of ['a', 'b', 'c'])
      expect(await connection.response()).toMatchObject({ body: expect.stringContaining(`"id":"${id}"`) });
  });

  test('have a hundred requests in flight, and the others wait', async () => {
    const connection = await open({ receive: () => new Promise(() => undefined) });
    connection.send(post('{}').repeat(200));
    await untilPasses(() => {
      expect(server.received).toHaveLength(100);
    });
    connection.send(post('{}').repeat(100));
    // Another connection gets its response in the meantime.
    const other = await connect(server.port);
    other.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await other.response()).toMatchObject({ status: 200 });
    expect(connection.socket.destroyed).toBe(false);
    expect(server.received).toHaveLength(100);
  });

  test.each(['HTTP/0.9', 'HTTP/2.0', ''])('end after a request of version "%s"', async (version) => {
    const connection = await open();
    const odd = post('{"n":1}').replace(' HTTP/1.1', version === '' ? '' : ` ${version}`);

    connection.send(odd + post('{"n":2}'));

    expect(await connection.response()).toMatchObject({ status: 400 });
    await connection.closed;
    expect(bodies()).toEqual([]);
  });

  test('end after a request that names no host', async () => {
    const connection = await open();
    connection.send(post('{}').replace('Host: localhost\r\n', '') + post('{}'));
    expect(await connection.response()).toMatchObject({
      status: 400,
      headers: { connection: 'close' },
      body: '{"error":"Bad Request","message":"The request names no host"}',
    });
    await connection.closed;
    expect(server.received).toEqual([]);
  });

  test('end after a request that names two hosts', async () => {
    const connection = await open();
    connection.send(post('{}', { HOST: 'elsewhere' }) + post('{}'));
    expect(await connection.response()).toMatchObject({
      status: 400,
      headers: { connection: 'close' },
      body: '{"error":"Bad Request","message":"The request names more than one host"}',
    });
    await connection.closed;
    expect(server.received).toEqual([]);
  });

  test('go on after a rejected request', async () => {
    const connection = await open();
    connection.send(post('x'.repeat(2_000)) + post('{}'));
    expect(await connection.response()).toMatchObject({ status: 413 });
    expect(await connection.response()).toMatchObject({ status: 202 });
    expect(bodies()).toEqual(['{}']);
  });
});

describe('a body over the limit', () => {
  test('is rejected by its content-length, before it arrives', async () => {
    const connection = await open();
    connection.send(head({ 'Content-Length': '1001' }));
    expect(await connection.response()).toMatchObject({
      status: 413,
      body: '{"error":"Payload Too Large","message":"The body is larger than 1000 bytes"}',
    });
  });

  test('is rejected while it arrives, as soon as it exceeds the limit', async () => {
    const connection = await open();
    connection.send(head({ 'Transfer-Encoding': 'chunked' }) + chunk('x'.repeat(600)));
    connection.send(chunk('x'.repeat(600)));
    // Before the rest is sent.
    expect(await connection.response()).toMatchObject({ status: 413 });
    expect(server.received).toEqual([]);
  });

  test('as long as the limit is accepted', async () => {
    const connection = await open();
    connection.send(post('x'.repeat(1_000)));
    connection.send(head({ 'Transfer-Encoding': 'chunked' }) + chunk('x'.repeat(1_000)) + '0\r\n\r\n');
    expect([(await connection.response()).status, (await connection.response()).status]).toEqual([202, 202]);
  });

  test.each([{}, { 'transfer-encoding': 'chunked' }])(
    'is discarded, so that a sender of megabytes gets to read the response (%j)',
    async (headers) => {
      server = await startReceiving();
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const outgoing = request(
          { port: server.port, path: '/webhooks', method: 'POST', headers },
          (response) => {
            response.resume().once('end', () => {
              resolve(response.statusCode);
            });
          },
        );
        outgoing.once('error', reject).end(Buffer.alloc(8 * 2 ** 20));
      });
      expect(status).toBe(413);
    },
  );

  test('without an end is cut off, with its connection', async () => {
    const connection = await open();
    connection.send(head({ 'Transfer-Encoding': 'chunked' }) + chunk('x'.repeat(2_000)));
    expect(await connection.response()).toMatchObject({ status: 413 });
    await untilPasses(() => {
      expect(server.clock.untilNext).toBe(500);
    });
    server.clock.advance(500);
    await connection.closed;
  });

  test('byte by byte is rejected long before it is large, and cut off', async () => {
    const connection = await open({ maxBodyBytes: 1_000_000 });
    connection.send(head({ 'Transfer-Encoding': 'chunked' }) + chunk('x').repeat(4_300));
    expect(await connection.response()).toMatchObject({
      status: 413,
      body: '{"error":"Payload Too Large","message":"The body comes in too many chunks"}',
    });
    connection.send(chunk('x').repeat(2_000));
    await connection.closed;
    expect(server.received).toEqual([]);
  });

  test('byte by byte in one packet, with its end, is rejected all the same', async () => {
    const connection = await open({ maxBodyBytes: 1_000_000 });
    connection.send(`${head({ 'Transfer-Encoding': 'chunked' })}${chunk('x').repeat(4_300)}0\r\n\r\n`);
    expect(await connection.response()).toMatchObject({
      status: 413,
      body: '{"error":"Payload Too Large","message":"The body comes in too many chunks"}',
    });
    expect(server.received).toEqual([]);
  });

  test('in many chunks is accepted if they are not tiny', async () => {
    const connection = await open({ maxBodyBytes: 1_000_000 });
    connection.send(
      `${head({ 'Transfer-Encoding': 'chunked' })}${chunk('x'.repeat(40)).repeat(6_000)}0\r\n\r\n`,
    );
    expect(await connection.response()).toMatchObject({ status: 202 });
    expect(server.received[0]?.body).toHaveLength(240_000);
  });
});

describe('an incomplete body', () => {
  test('is never passed on', async () => {
    const connection = await open();
    connection.send(head({ 'Content-Length': '100' }) + '{"type":');
    await untilPasses(() => {
      expect(server.clock.untilNext).toBe(400);
    });
    connection.socket.destroy();
    await untilRejected();
    expect(server.received).toEqual([]);
  });

  test.each([
    ['announced', head({ 'Content-Length': '100' }) + '{}'],
    ['chunked', head({ 'Transfer-Encoding': 'chunked' }) + chunk('{}')],
  ])('is never passed on, even if its beginning is JSON (%s)', async (_name, bytes) => {
    const connection = await open();
    connection.send(bytes);
    connection.socket.end();
    await untilRejected();
    expect(server.received).toEqual([]);
  });

  test.each([true, false])(
    'gets 408 when it times out, and its connection ends (embedded: %s)',
    async (embedded) => {
      const connection = await open({ embedded });
      connection.send(head({ 'Content-Length': '100' }) + '{"type":');
      await untilPasses(() => {
        expect(server.clock.untilNext).toBe(400);
      });
      server.clock.advance(399);
      expect(server.responses).toEqual([]);
      server.clock.advance(1);
      const response = await connection.response();
      expect(response).toMatchObject({
        status: 408,
        headers: { connection: 'close' },
        body: '{"error":"Request Timeout","message":"The body took longer than 400 ms to arrive"}',
      });
      expect(response.headers).not.toHaveProperty('keep-alive');
      await connection.closed;
      expect(server.received).toEqual([]);
    },
  );

  test('a complete body leaves no timer behind', async () => {
    const connection = await open();
    connection.send(post('{}'));
    await connection.response();
    // Except the listener's own, which checks connections.
    expect(server.clock.untilNext).toBe(1_000);
  });
});

test('a compressed body gets 415, unread', async () => {
  const connection = await open();
  connection.send(post('x', { 'Content-Encoding': 'gzip' }));
  expect(await connection.response()).toMatchObject({ status: 415 });
  connection.send(post('{}', { 'Content-Encoding': 'identity' }));
  expect(await connection.response()).toMatchObject({ status: 202 });
  expect(bodies()).toEqual(['{}']);
});
