/** A listener from binding its address to closing its last connection. */
import { once } from 'node:events';
import { connect as connectSocket, Server } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { untilPasses } from '../support/eventually.ts';
import type { Receipt } from '../../src/event/receipt.ts';
import { serveFetchApp } from '../../src/kernel/http/server/fetch-listener.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { testContext } from '../../src/testing/test-context.ts';
import { connect } from '../support/raw-connection.ts';
import { listenLocally, startReceiving, type ReceivingServer } from '../support/receiving-server.ts';

let server: ReceivingServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const REQUEST = 'POST /webhooks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}';
const accepted: Receipt = { status: 'accepted', id: 't-1', kind: 'a.b', flags: [] };

/** A server with a request in flight until `finish` is called. */
async function startHanging() {
  let finish = (): void => undefined;
  server = await startReceiving({
    receive: () =>
      new Promise((resolve) => {
        finish = () => {
          resolve(accepted);
        };
      }),
  });
  const started = server;
  const connection = await connect(started.port);
  connection.send(REQUEST);
  await untilPasses(() => {
    expect(started.received).toHaveLength(1);
  });
  return {
    ...started,
    connection,
    finish: () => {
      finish();
    },
  };
}

async function refusesConnections(port: number): Promise<boolean> {
  const socket = connectSocket(port, '127.0.0.1');
  return once(socket, 'connect').then(
    () => false,
    (error: unknown) => (error as NodeJS.ErrnoException).code === 'ECONNREFUSED',
  );
}

describe('the address', () => {
  const log = { error: () => undefined } as never;
  const handle = serveFetchApp({ fetch: () => new Response() });

  function opening(host: string, port: number): Promise<unknown> {
    return listenLocally({ handle, host, port, clock: manualClock(), log });
  }

  test('in use by another process is a misconfiguration, with a remedy', async () => {
    server = await startReceiving();
    await expect(opening('127.0.0.1', server.port)).rejects.toMatchObject({
      code: 'misconfigured',
      message: `127.0.0.1, port ${String(server.port)} is in use by another process; stop it, or set PORTARIA_PORT to another port`,
    });
  });

  test('of another machine is a misconfiguration', async () => {
    await expect(opening('192.0.2.1', 0)).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('is not an address of this machine; set PORTARIA_HOST to'),
    });
  });
});

describe('closing', () => {
  test('refuses new connections, and ends idle ones at once', async () => {
    server = await startReceiving();
    const idle = await connect(server.port);
    idle.send(REQUEST);
    expect(await idle.response()).toMatchObject({ status: 202, headers: { connection: 'keep-alive' } });

    await server.listener.close(60_000);

    await idle.closed;
    expect(await refusesConnections(server.port)).toBe(true);
    expect(server.clock.untilNext).toBeNull();
  });

  test('ends connections that were never used', async () => {
    server = await startReceiving();
    const unused = await connect(server.port);
    // Once a later connection gets a response, the server has accepted this one.
    const later = await connect(server.port);
    later.send(REQUEST);
    await later.response();

    await server.listener.close(60_000);

    await unused.closed;
    expect(unused.socket.bytesRead).toBe(0);
  });

  test('lets a request in flight end within the grace, and announces the end of its connection', async () => {
    const { connection, ...hanging } = await startHanging();

    const closed = hanging.listener.close(60_000);
    expect(await refusesConnections(hanging.port)).toBe(true);
    hanging.clock.advance(59_999);
    hanging.finish();

    expect(await connection.response()).toMatchObject({ status: 202, headers: { connection: 'close' } });
    await connection.closed;
    await closed;
  });

  test('cuts requests in flight when the grace is over', async () => {
    const { connection, ...hanging } = await startHanging();

    const closed = hanging.listener.close(5_000);
    hanging.clock.advance(5_000);

    await closed;
    await connection.closed;
    await expect(connection.response()).rejects.toThrow('the connection ended');
  });

  test('ends the grace when called again', async () => {
    const { connection, ...hanging } = await startHanging();

    const closed = hanging.listener.close(60_000);
    void hanging.listener.close(0);
    hanging.clock.advance(0);

    await closed;
    await connection.closed;
    expect(hanging.clock.untilNext).toBeNull();
  });

  test('twice resolves once all is closed', async () => {
    server = await startReceiving();
    await Promise.all([server.listener.close(5_000), server.listener.close(5_000)]);
    await server.listener.close(5_000);
    expect(server.clock.untilNext).toBeNull();
  });
});

describe('a connection', () => {
  test('without a request within its announced timeout is closed', async () => {
    server = await startReceiving();
    const connection = await connect(server.port);
    connection.send(REQUEST);
    expect(await connection.response()).toMatchObject({ headers: { 'keep-alive': 'timeout=65' } });

    server.clock.advance(67_000);

    await connection.closed;
  });

  test('stays open for its announced timeout, however long its response took', async () => {
    const { connection, ...hanging } = await startHanging();
    hanging.clock.advance(1_900);
    hanging.finish();
    await connection.response();

    hanging.clock.advance(64_900);

    connection.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await connection.response()).toMatchObject({ status: 200 });
  });

  test('with further requests stays open', async () => {
    server = await startReceiving();
    const connection = await connect(server.port);
    for (const path of ['webhooks', 'webhooks?no=plain-path', 'webhooks']) {
      connection.send(REQUEST.replace('webhooks', path));
      expect(await connection.response()).toMatchObject({
        status: 202,
        headers: { 'keep-alive': 'timeout=65' },
      });
      server.clock.advance(64_000);
    }
  });

  test('that waits for a slow response stays open', async () => {
    const { connection, ...hanging } = await startHanging();

    hanging.clock.advance(600_000);
    hanging.finish();

    expect(await connection.response()).toMatchObject({ status: 202 });
  });
});

describe('invalid requests', () => {
  test('a host that is none gets 400', async () => {
    server = await startReceiving();
    for (const host of ['exa mple', 'a/b', '[::1', 'user@host']) {
      const connection = await connect(server.port);
      connection.send(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect(await connection.response(), host).toMatchObject({
        status: 400,
        body: '{"error":"Bad Request","message":"The request has no valid address"}',
      });
    }
  });

  test.each([
    ['not HTTP', 'hello\r\n\r\n', 400],
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
  ])('%s is rejected, and the connection ends', async (_name, bytes, status) => {
    server = await startReceiving();
    const connection = await connect(server.port);
    connection.send(bytes);
    expect(await connection.response()).toMatchObject({ status });
    await connection.closed;
    expect(server.received).toEqual([]);
  });
});

test('given many connections that cannot be accepted, logs one line a second', async () => {
  const listening = vi.spyOn(Server.prototype, 'listen');
  const { log, logged } = testContext();
  const clock = manualClock();
  const handle = serveFetchApp({ fetch: () => new Response('') });
  const listener = await listenLocally({ handle, clock, log });
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
