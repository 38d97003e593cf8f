/** Pipelined requests: every request that begins gets its response, in order. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { connect, type RawConnection } from '../support/raw-connection.ts';
import { startReceiving, type ReceivingServer, type ServerOptions } from '../support/receiving-server.ts';

let server: ReceivingServer;

afterEach(() => server.stop());

const post = (id: number, path = '/webhooks'): string => {
  const body = String(id);
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
};
const posts = (count: number, path?: string): string =>
  Array.from({ length: count }, (_, id) => post(id, path)).join('');

/** Responds to each webhook with its body as the id, a tick later, and counts the most in flight. */
async function start(options: ServerOptions = {}) {
  let now = 0;
  const inFlight = { most: 0 };
  server = await startReceiving({
    receive: async ({ body }) => {
      now += 1;
      inFlight.most = Math.max(inFlight.most, now);
      await new Promise(setImmediate);
      now -= 1;
      return { status: 'accepted', id: Buffer.from(body).toString(), kind: 'a.b', flags: [] };
    },
    ...options,
  });
  return { connection: await connect(server.port), inFlight };
}

const received = (): number[] => server.received.map(({ body }) => Number(Buffer.from(body).toString()));

async function idsOf(connection: RawConnection, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count)
    ids.push(Number((JSON.parse((await connection.response()).body) as { id: string }).id));
  return ids;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, id) => id);

test.each([
  ['/webhooks', 10_000],
  ['/webhooks?a=query', 1_000],
])(
  'given webhooks in one write to %s, responds to all %i in order, a hundred in flight',
  async (path, count) => {
    const { connection, inFlight } = await start();

    connection.send(posts(count, path));

    expect(await idsOf(connection, count)).toEqual(upTo(count));
    // A body that is split between two reads is complete later than those behind it.
    expect(received().sort((one, other) => one - other)).toEqual(upTo(count));
    expect(inFlight.most).toBe(100);
    // Then the connection goes on.
    connection.send(post(count));
    expect(await idsOf(connection, 1)).toEqual([count]);
  },
);

test('requests before a CONNECT get their responses first', async () => {
  const { connection } = await start();

  connection.send(`${posts(3)}CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`);

  expect(await idsOf(connection, 3)).toEqual(upTo(3));
  expect((await connection.response()).status).toBe(400);
});

test('given requests that do not end, the sender is blocked by backpressure', async () => {
  const respond: (() => void)[] = [];
  const { connection } = await start({
    receive: ({ body }) =>
      new Promise((resolve) => {
        respond.push(() => {
          resolve({ status: 'accepted', id: Buffer.from(body).toString(), kind: 'a.b', flags: [] });
        });
      }),
  });
  // More than the buffers of both sides hold
  const many = 300_000;
  connection.send(posts(many));
  await untilStable(() => connection.socket.bytesWritten - connection.socket.writableLength);
  expect(connection.socket.writableLength).toBeGreaterThan(0);
  expect(respond).toHaveLength(100);

  connection.socket.destroy();
  for (const one of respond) one();
});

/** Resolves when a number stays the same for 2,000 ticks. */
async function untilStable(read: () => number): Promise<void> {
  for (let same = 0, last = -1; same < 2_000;) {
    await new Promise(setImmediate);
    same = read() === last ? same + 1 : 0;
    last = read();
  }
}

test('bytes that are not HTTP are rejected after the responses to all requests before them', async () => {
  const { connection } = await start();

  connection.send(`${posts(250)}this is no request\r\n\r\n`);

  expect(await idsOf(connection, 250)).toEqual(upTo(250));
  expect(await connection.response()).toMatchObject({
    status: 400,
    headers: { connection: 'close' },
    body: '{"error":"Bad Request","message":"The request is not HTTP"}',
  });
  await connection.closed;
  expect(received()).toEqual(upTo(250));
});

test('a broken chunked body is rejected after the responses to all requests before it', async () => {
  const { connection } = await start();
  const broken = 'POST /webhooks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}!!';

  connection.send(posts(3) + broken + posts(3));

  expect(await idsOf(connection, 3)).toEqual([0, 1, 2]);
  expect(await connection.response()).toMatchObject({ status: 400 });
  await connection.closed;
  expect(received()).toEqual([0, 1, 2]);
});

test('a sender that ends its side still gets all its responses', async () => {
  const { connection } = await start();

  connection.send(posts(500));
  connection.socket.end();

  expect(await idsOf(connection, 500)).toEqual(upTo(500));
  await connection.closed;
});

test('a closing server responds to all requests that have begun, and begins no more', async () => {
  const respond: (() => void)[] = [];
  const { connection } = await start({
    receive: ({ body }) =>
      new Promise((resolve) => {
        respond.push(() => {
          resolve({ status: 'accepted', id: Buffer.from(body).toString(), kind: 'a.b', flags: [] });
        });
      }),
  });
  connection.send(posts(300));
  while (respond.length < 100) await new Promise(setImmediate);

  const closed = server.listener.close(60_000);
  for (const one of respond) one();

  const responses = [];
  while (responses.length < 100) responses.push(await connection.response());
  expect(responses.map(({ body }) => Number((JSON.parse(body) as { id: string }).id))).toEqual(upTo(100));
  expect(responses.map(({ headers }) => headers['connection'])).toEqual([
    ...Array.from({ length: 99 }, () => 'keep-alive'),
    'close',
  ]);
  await connection.closed;
  await closed;
  expect(received()).toEqual(upTo(100));
});

describe('a connection that admits no more requests', () => {
  /** The shortest request: one read of a socket holds more of them than may be queued. */
  const get = (id: number): string => `GET /${String(id)} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const gets = (count: number): string => Array.from({ length: count }, (_, id) => get(id)).join('');
  /** Less than is discarded after the last response. */
  const FLOOD = gets(60_000);
  /** A few reads of a socket, in bytes. */
  const FEW_READS = 500_000;
  const TWO_HOSTS = 'GET /1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';

  /** A server that responds to nothing until `respond` is called, and its side of the connection. */
  async function startWaiting() {
    const sockets: Socket[] = [];
    const onSocket = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
    subscribe('net.server.socket', onSocket);
    onTestFinished(() => void unsubscribe('net.server.socket', onSocket));
    let respond = (): void => undefined;
    const blocked = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const begun: number[] = [];
    const { connection } = await start({
      app: {
        fetch: async (request) => {
          const id = Number(new URL(request.url).pathname.slice(1));
          begun.push(id);
          await request.text();
          await blocked;
          return Response.json({ id });
        },
      },
    });
    const errors: Error[] = [];
    connection.socket.on('error', (error) => errors.push(error));
    const serverSocket = (): Socket => {
      const socket = sockets.find(({ remotePort }) => remotePort === connection.socket.localPort);
      if (socket === undefined) throw new Error('the server has not accepted the connection');
      return socket;
    };
    const untilBegun = async (count: number): Promise<void> => {
      while (begun.length < count) await new Promise(setImmediate);
    };
    return { connection, errors, serverSocket, begun, untilBegun, respond };
  }
  type Waiting = Awaited<ReturnType<typeof startWaiting>>;

  interface Case {
    /** Requests that have begun before. */
    readonly begun: number;
    /** Status of the error response that ends the connection, if there is one. */
    readonly rejected?: number;
    /** Makes the connection admit no more requests. */
    readonly reach: (waiting: Waiting) => Promise<void> | void;
  }
  const cases: readonly (readonly [name: string, Case])[] = [
    [
      'because a request names two hosts',
      {
        begun: 1,
        rejected: 400,
        reach: ({ connection }) => {
          connection.send(get(0) + TWO_HOSTS);
        },
      },
    ],
    [
      'because too many of its requests are queued',
      {
        begun: 1_100,
        reach: ({ connection }) => {
          connection.send(gets(1_500));
        },
      },
    ],
    [
      'because the server closes',
      {
        begun: 1,
        reach: async ({ connection, untilBegun }) => {
          connection.send(get(0));
          await untilBegun(1);
          void server.listener.close(60_000);
        },
      },
    ],
    [
      'because the server closes in the middle of a body',
      {
        begun: 1,
        reach: async ({ connection, untilBegun }) => {
          connection.send('POST /0 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n1');
          await untilBegun(1);
          void server.listener.close(60_000);
          connection.send('2');
        },
      },
    ],
  ];

  async function allResponses({ connection }: Waiting, { begun, rejected }: Case) {
    const responses = [];
    while (responses.length < begun + (rejected === undefined ? 0 : 1))
      responses.push(await connection.response());
    return {
      ids: responses.slice(0, begun).map(({ body }) => (JSON.parse(body) as { id: number }).id),
      status: responses.at(-1)?.status,
      connection: responses.at(-1)?.headers['connection'],
    };
  }

  test.each(cases)(
    '%s is not read, carries the responses to requests that have begun, and ends',
    async (_name, its) => {
      const waiting = await startWaiting();
      const { connection, serverSocket } = waiting;
      await its.reach(waiting);

      connection.send(FLOOD);
      await untilStable(() => serverSocket().bytesRead);

      expect(serverSocket().bytesRead).toBeLessThan(FEW_READS);
      waiting.respond();
      expect(await allResponses(waiting, its)).toEqual({
        ids: upTo(its.begun),
        status: its.rejected ?? 200,
        connection: 'close',
      });
      await connection.closed;
      expect(waiting.begun).toEqual(upTo(its.begun));
    },
  );

  test.each(cases)('%s carries all responses to a client that reads them later', async (_name, its) => {
    const waiting = await startWaiting();
    const { connection, serverSocket } = waiting;
    connection.socket.pause();
    await its.reach(waiting);
    connection.send(gets(20_000));
    await untilStable(() => serverSocket().bytesRead);

    waiting.respond();
    await untilStable(() => serverSocket().bytesRead);
    connection.socket.resume();

    expect((await allResponses(waiting, its)).ids).toEqual(upTo(its.begun));
    await connection.closed;
    expect(waiting.errors).toEqual([]);
  });

  test('is cut when the client does not end it within half a second of the last response', async () => {
    const waiting = await startWaiting();
    const { connection, serverSocket } = waiting;
    connection.socket.allowHalfOpen = true;
    connection.send(get(0) + TWO_HOSTS);
    waiting.respond();
    await waiting.untilBegun(1);
    while (!serverSocket().writableFinished) await new Promise(setImmediate);
    connection.send(get(1));
    await untilStable(() => serverSocket().bytesRead);
    const ended = serverSocket();
    expect(ended.destroyed).toBe(false);

    server.clock.advance(500);

    expect(ended.destroyed).toBe(true);
    expect(waiting.begun).toEqual([0]);
  });
});
