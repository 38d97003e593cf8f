/** The life of a listener: from the address it takes to the last connection it lets go. */
import { once } from 'node:events';
import { connect as connectSocket, Server } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Receipt } from '../../src/event/receipt.ts';
import { listen } from '../../src/receive/listen.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { testContext } from '../../src/testing/test-context.ts';
import { connect } from '../support/raw-connection.ts';
import { startReceiving, type ReceivingServer } from '../support/receiving-server.ts';

let server: ReceivingServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const REQUEST = 'POST /webhooks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}';
const accepted: Receipt = { status: 'accepted', id: 't-1', kind: 'a.b', flags: [] };

/** A server with a request that hangs until it is let go. */
async function startHanging() {
  let letGo = (): void => undefined;
  server = await startReceiving({
    receive: () =>
      new Promise((resolve) => {
        letGo = () => {
          resolve(accepted);
        };
      }),
  });
  const started = server;
  const connection = await connect(started.port);
  connection.send(REQUEST);
  await vi.waitFor(() => {
    expect(started.taken).toHaveLength(1);
  });
  return {
    ...started,
    connection,
    finish: () => {
      letGo();
    },
  };
}

async function isRefused(port: number): Promise<boolean> {
  const socket = connectSocket(port, '127.0.0.1');
  return once(socket, 'connect').then(
    () => false,
    (error: unknown) => (error as NodeJS.ErrnoException).code === 'ECONNREFUSED',
  );
}

describe('the address', () => {
  const log = { error: () => undefined } as never;
  const app = { fetch: () => new Response() };

  function opening(host: string, port: number): Promise<unknown> {
    return listen({ app, host, port, clock: manualClock(), bodyTimeoutMs: 1_000, log });
  }

  test('that is taken is a misconfiguration, with what to do about it', async () => {
    server = await startReceiving();
    await expect(opening('127.0.0.1', server.port)).rejects.toMatchObject({
      code: 'misconfigured',
      message: `127.0.0.1, port ${String(server.port)} is taken by another process; stop it, or listen on another port`,
    });
  });

  test('that is not of this machine is one too', async () => {
    await expect(opening('192.0.2.1', 0)).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('is no address of this machine'),
    });
  });
});

describe('closing', () => {
  test('refuses new connections and ends idle ones at once', async () => {
    server = await startReceiving();
    const idle = await connect(server.port);
    idle.send(REQUEST);
    expect(await idle.answer()).toMatchObject({ status: 202, headers: { connection: 'keep-alive' } });

    await server.listener.close(60_000);

    await idle.closed;
    expect(await isRefused(server.port)).toBe(true);
    expect(server.clock.untilNext).toBeNull();
  });

  test('ends connections that were opened in advance and never used', async () => {
    server = await startReceiving();
    const unused = await connect(server.port);
    // The server has accepted it once it answers one that came later.
    const later = await connect(server.port);
    later.send(REQUEST);
    await later.answer();

    await server.listener.close(60_000);

    await unused.closed;
    expect(unused.socket.bytesRead).toBe(0);
  });

  test('lets a request in flight end within the grace, and says that its connection does', async () => {
    const { connection, ...hanging } = await startHanging();

    const closed = hanging.listener.close(60_000);
    expect(await isRefused(hanging.port)).toBe(true);
    hanging.clock.advance(59_999);
    hanging.finish();

    expect(await connection.answer()).toMatchObject({ status: 202, headers: { connection: 'close' } });
    await connection.closed;
    await closed;
  });

  test('cuts what still hangs when the grace is over', async () => {
    const { connection, ...hanging } = await startHanging();

    const closed = hanging.listener.close(5_000);
    hanging.clock.advance(5_000);

    await closed;
    await connection.closed;
    await expect(connection.answer()).rejects.toThrow('the connection ended');
  });

  test('ends the grace when asked again', async () => {
    const { connection, ...hanging } = await startHanging();

    const closed = hanging.listener.close(60_000);
    void hanging.listener.close(0);
    hanging.clock.advance(0);

    await closed;
    await connection.closed;
    expect(hanging.clock.untilNext).toBeNull();
  });

  test('twice is once', async () => {
    server = await startReceiving();
    await Promise.all([server.listener.close(5_000), server.listener.close(5_000)]);
    await server.listener.close(5_000);
    expect(server.clock.untilNext).toBeNull();
  });
});

describe('a connection', () => {
  test('that asks nothing for longer than it was told is ended', async () => {
    server = await startReceiving();
    const connection = await connect(server.port);
    connection.send(REQUEST);
    expect(await connection.answer()).toMatchObject({ headers: { 'keep-alive': 'timeout=65' } });

    server.clock.advance(67_000);

    await connection.closed;
  });

  test('is there for as long as it was told, however long its answer took', async () => {
    const { connection, ...hanging } = await startHanging();
    hanging.clock.advance(1_900);
    hanging.finish();
    await connection.answer();

    hanging.clock.advance(64_900);

    connection.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await connection.answer()).toMatchObject({ status: 200 });
  });

  test('that goes on asking is not', async () => {
    server = await startReceiving();
    const connection = await connect(server.port);
    for (const path of ['webhooks', 'webhooks?no=plain-path', 'webhooks']) {
      connection.send(REQUEST.replace('webhooks', path));
      expect(await connection.answer()).toMatchObject({
        status: 202,
        headers: { 'keep-alive': 'timeout=65' },
      });
      server.clock.advance(64_000);
    }
  });

  test('whose answer takes its time is not', async () => {
    const { connection, ...hanging } = await startHanging();

    hanging.clock.advance(600_000);
    hanging.finish();

    expect(await connection.answer()).toMatchObject({ status: 202 });
  });
});

describe('requests that no app can see', () => {
  test.each(['exa mple', 'a/b', '[::1', 'user@host'])(
    'host %j answers 400 like any other error',
    async (host) => {
      server = await startReceiving();
      const connection = await connect(server.port);
      connection.send(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      const { status, body } = await connection.answer();
      expect([status, body]).toEqual([
        400,
        '{"error":"Bad Request","message":"The request has no valid address"}',
      ]);
    },
  );

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['headers beyond 16 KiB', `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    [
      'two lengths',
      'POST /webhooks HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    [
      'a length and chunks',
      'POST /webhooks HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
  ])('%s is refused, and the connection ends', async (_name, bytes, status) => {
    server = await startReceiving();
    const connection = await connect(server.port);
    connection.send(bytes);
    expect(await connection.answer()).toMatchObject({ status });
    await connection.closed;
    expect(server.taken).toEqual([]);
  });
});

test('connections that cannot be accepted are logged once a second, however many there are', async () => {
  const listening = vi.spyOn(Server.prototype, 'listen');
  const { log, logged } = testContext();
  const clock = manualClock();
  const app = { fetch: () => new Response('') };
  const listener = await listen({ app, host: '127.0.0.1', port: 0, clock, bodyTimeoutMs: 1_000, log });
  const [listeningServer] = listening.mock.contexts as Server[];
  listening.mockRestore();
  const error = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' });

  for (let at = 0; at < 1_000; at += 1) listeningServer?.emit('error', error);
  clock.advance(1_000);
  const closed = listener.close(0);
  clock.advance(0);
  await closed;

  expect(logged.map(({ fields }) => fields)).toEqual([
    { err: error, times: 1 },
    { err: error, times: 999 },
  ]);
});
