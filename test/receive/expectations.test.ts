/** `Expect`, transfer codings and requests without Host: bounded and answered like all other requests. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Portaria } from '../../src/compose.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { testContext } from '../../src/testing/test-context.ts';
import { composedPortaria } from '../support/composed-portaria.ts';
import { connect, type RawConnection } from '../support/raw-connection.ts';
import {
  listenLocally,
  startReceiving,
  type ReceivingServer,
  type ServerOptions,
} from '../support/receiving-server.ts';

let server: ReceivingServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function start(options: ServerOptions = {}): Promise<[ReceivingServer, RawConnection]> {
  server = await startReceiving(options);
  return [server, await connect(server.port)];
}

const post = (path: string, ...headers: string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');

const servers: readonly (readonly [name: string, ServerOptions])[] = [
  ['the public port', {}],
  [
    'a port that serves an app',
    {
      app: {
        fetch: async (request) =>
          new URL(request.url).pathname === '/webhooks' &&
          Number(request.headers.get('content-length')) < 1_000
            ? Response.json({ body: await request.text() }, { status: 202 })
            : Response.json({ error: 'rejected' }, { status: 404 }),
      },
    },
  ],
];

describe.each(servers)('given %s', (_name, options) => {
  test('an expectation other than 100-continue gets 417 as JSON, and nothing behind it begins', async () => {
    const [{ received }, connection] = await start(options);

    connection.send(post('/webhooks', 'Expect: x', 'Content-Length: 2') + '{}');
    connection.send(post('/webhooks', 'Content-Length: 2') + '{}');

    const { status, headers, body } = await connection.response();
    expect([status, headers['connection'], headers['content-type'], headers['keep-alive']]).toEqual([
      417,
      'close',
      'application/json',
      undefined,
    ]);
    expect(JSON.parse(body)).toEqual({
      error: 'Expectation Failed',
      message: 'Only Expect: 100-continue is supported',
    });
    await connection.closed;
    await expect(connection.response()).rejects.toThrow('the connection ended');
    expect(received).toEqual([]);
  });

  test('a flood of such requests gets one response, and the connection is no longer read', async () => {
    const [, connection] = await start(options);
    const flood = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: x\r\n\r\n'.repeat(1_000);

    connection.send(flood);

    expect((await connection.response()).status).toBe(417);
    await connection.closed;
    await expect(connection.response()).rejects.toThrow('the connection ended');
  });

  test('the rest of its body is discarded for a bounded time', async () => {
    const [{ clock }, connection] = await start(options);
    connection.socket.allowHalfOpen = true;
    connection.send(post('/webhooks', 'Expect: x', 'Content-Length: 100') + '{');
    expect((await connection.response()).status).toBe(417);

    for (let sent = 1; !connection.socket.destroyed && sent < 50; sent += 1) {
      clock.advance(500);
      connection.send('{');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }

    await connection.closed;
  });

  test('100-continue gets 100 before a body that is read, and the connection goes on', async () => {
    const [, connection] = await start(options);

    for (let time = 0; time < 2; time += 1) {
      connection.send(post('/webhooks', 'Expect: 100-continue', 'Content-Length: 2'));
      expect((await connection.response()).status).toBe(100);
      connection.send('{}');
      expect(await connection.response()).toMatchObject({
        status: 202,
        headers: { connection: 'keep-alive' },
      });
    }
  });

  test.each([
    ['/nowhere', 'Content-Length: 2', [404]],
    ['/webhooks', 'Content-Length: 99999999', [404, 413]],
  ])('100-continue for %s with %s gets the error instead of 100', async (path, length, statuses) => {
    const [, connection] = await start(options);

    connection.send(post(path, 'Expect: 100-continue', length));

    const { status, headers } = await connection.response();
    expect(statuses).toContain(status);
    expect([headers['connection'], headers['keep-alive']]).toEqual(['close', undefined]);
    await connection.closed;
  });

  test('a request behind a rejected 100-continue does not begin, because its response would be lost', async () => {
    const [{ received }, connection] = await start(options);

    connection.send(`${post('/nowhere', 'Expect: 100-continue', 'Content-Length: 2')}{}`);
    connection.send(`${post('/webhooks', 'Content-Length: 2')}{}`);

    expect((await connection.response()).status).toBe(404);
    await connection.closed;
    expect(received).toEqual([]);
  });

  test.each(['gzip, chunked', 'identity, chunked'])(
    'the transfer coding %s gets 501, and the connection ends',
    async (coding) => {
      const [{ received }, connection] = await start(options);

      connection.send(`${post('/webhooks', `Transfer-Encoding: ${coding}`)}2\r\n{}\r\n0\r\n\r\n`);

      const { status, headers, body } = await connection.response();
      expect([status, headers['connection']]).toEqual([501, 'close']);
      expect(JSON.parse(body)).toEqual({
        error: 'Not Implemented',
        message: 'The only supported Transfer-Encoding is chunked',
      });
      await connection.closed;
      expect(received).toEqual([]);
    },
  );

  test('HTTP/1.0 with a transfer coding gets 400: readers do not agree where its body ends', async () => {
    const [{ received }, connection] = await start(options);
    const head = 'POST /webhooks HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';

    connection.send(`${head}2\r\n{}\r\n0\r\n\r\n`);

    expect((await connection.response()).status).toBe(400);
    await connection.closed;
    expect(received).toEqual([]);
  });

  test('the transfer coding Chunked is accepted', async () => {
    const [, connection] = await start(options);
    connection.send(`${post('/webhooks', 'Transfer-Encoding: Chunked')}2\r\n{}\r\n0\r\n\r\n`);
    expect((await connection.response()).status).toBe(202);
  });
});

test('given many rejected requests, logs one line a second', async () => {
  const { log, logged } = testContext();
  const clock = manualClock();
  const handle = (): void => undefined;
  const listener = await listenLocally({ handle, clock, log });
  for (let sent = 0; sent < 3; sent += 1) {
    const connection = await connect(listener.port);
    connection.send(post('/webhooks', 'Expect: x'));
    await connection.response();
    await connection.closed;
  }
  clock.advance(1_000);
  const closed = listener.close(0);
  clock.advance(0);
  await closed;

  const line = { status: 417, address: '127.0.0.1' };
  expect(logged.map(({ fields }) => fields)).toEqual([
    { ...line, times: 1 },
    { ...line, times: 2 },
  ]);
});

describe('an HTTP/1.0 request without Host', () => {
  async function statusOf(port: number, head: string, body = ''): Promise<number> {
    const connection = await connect(port);
    connection.send(`${head}\r\n\r\n${body}`);
    const { status } = await connection.response();
    await connection.closed;
    return status;
  }
  let portaria: Portaria;
  const ports = async (settings: Readonly<Record<string, string>> = {}) => {
    portaria = await composedPortaria(settings);
    return portaria.start();
  };

  test('gets the health of both ports', async () => {
    const { port, opsPort } = await ports();
    expect(await statusOf(port, 'GET /healthz HTTP/1.0')).toBe(200);
    expect(await statusOf(opsPort, 'GET /healthz HTTP/1.0')).toBe(200);
    expect(await statusOf(opsPort, 'GET /readyz HTTP/1.0')).toBe(200);
    expect(await statusOf(port, 'GET /nowhere HTTP/1.0')).toBe(404);
  });

  const BODY = '{"type":"charge.created","data":{"id":7,"type":"fee","status":"paid"}}';
  const webhook = `POST /webhooks HTTP/1.0\r\nContent-Length: ${String(BODY.length)}`;

  test('is rejected where only a loopback name in Host protects', async () => {
    const { port, opsPort } = await ports();
    expect(await statusOf(port, webhook, BODY)).toBe(403);
    expect(await statusOf(opsPort, 'GET /api/events HTTP/1.0')).toBe(403);
  });

  test('is accepted where a secret protects', async () => {
    const { port, opsPort } = await ports({
      PORTARIA_VERIFY: 'token',
      PORTARIA_SECRETS: 'a-secret-of-32-characters-0123456',
      PORTARIA_OPS_TOKEN: 'a-token-of-32-characters-01234567',
    });
    const token = 'Authorization: Bearer a-token-of-32-characters-01234567';
    expect(await statusOf(port, webhook, BODY)).toBe(401);
    expect(await statusOf(opsPort, `GET /api/events HTTP/1.0\r\n${token}`)).toBe(200);
  });
});
