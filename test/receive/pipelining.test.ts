/** Many requests on one connection, none of them waiting for an answer: what is taken is answered, in order. */
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

/** Answers each webhook by its body, after a turn of the loop, and tells how many were under way at most. */
async function start(options: ServerOptions = {}) {
  let now = 0;
  const seen = { most: 0 };
  server = await startReceiving({
    receive: async ({ body }) => {
      now += 1;
      seen.most = Math.max(seen.most, now);
      await new Promise(setImmediate);
      now -= 1;
      return { status: 'accepted', id: Buffer.from(body).toString(), kind: 'a.b', flags: [] };
    },
    ...options,
  });
  return { connection: await connect(server.port), seen };
}

const taken = (): number[] => server.taken.map(({ body }) => Number(Buffer.from(body).toString()));

async function idsOf(connection: RawConnection, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count)
    ids.push(Number((JSON.parse((await connection.answer()).body) as { id: string }).id));
  return ids;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, id) => id);

test.each(['/webhooks', '/webhooks?by-the-app'])(
  '10,000 webhooks in one write to %s are all answered, in order, a hundred at a time',
  async (path) => {
    const { connection, seen } = await start();

    connection.send(posts(10_000, path));

    expect(await idsOf(connection, 10_000)).toEqual(upTo(10_000));
    // Where a read ends in the middle of a body, that one is whole a moment later than those behind it.
    expect(taken().sort((one, other) => one - other)).toEqual(upTo(10_000));
    expect(seen.most).toBe(100);
    // And the connection goes on
    connection.send(post(10_000));
    expect(await idsOf(connection, 1)).toEqual([10_000]);
  },
);

test('what came before a CONNECT is answered first', async () => {
  const { connection } = await start();

  connection.send(`${posts(3)}CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`);

  expect(await idsOf(connection, 3)).toEqual(upTo(3));
  expect((await connection.answer()).status).toBe(400);
});

test('the sender is held up while nothing gets through, and goes on afterwards', async () => {
  const letGo: (() => void)[] = [];
  const { connection } = await start({
    receive: ({ body }) =>
      new Promise((resolve) => {
        letGo.push(() => {
          resolve({ status: 'accepted', id: Buffer.from(body).toString(), kind: 'a.b', flags: [] });
        });
      }),
  });
  // More than lies between the two sides
  const many = 300_000;
  connection.send(posts(many));
  await eventuallyStill(() => connection.socket.bytesWritten - connection.socket.writableLength);
  expect(connection.socket.writableLength).toBeGreaterThan(0);
  expect(letGo).toHaveLength(100);

  connection.socket.destroy();
  for (const one of letGo) one();
});

/** Resolves when a number stays the same for a while of turns. */
async function eventuallyStill(read: () => number): Promise<void> {
  for (let same = 0, last = -1; same < 2_000;) {
    await new Promise(setImmediate);
    same = read() === last ? same + 1 : 0;
    last = read();
  }
}

test('what is no HTTP is refused after all before it are answered', async () => {
  const { connection } = await start();

  connection.send(`${posts(250)}this is no request\r\n\r\n`);

  expect(await idsOf(connection, 250)).toEqual(upTo(250));
  expect(await connection.answer()).toMatchObject({
    status: 400,
    headers: { connection: 'close' },
    body: '{"error":"Bad Request","message":"The request is not HTTP"}',
  });
  await connection.closed;
  expect(taken()).toEqual(upTo(250));
});

test('a body whose frame breaks is refused after all before it are answered', async () => {
  const { connection } = await start();
  const broken = 'POST /webhooks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}!!';

  connection.send(posts(3) + broken + posts(3));

  expect(await idsOf(connection, 3)).toEqual([0, 1, 2]);
  expect(await connection.answer()).toMatchObject({ status: 400 });
  await connection.closed;
  expect(taken()).toEqual([0, 1, 2]);
});

test('a sender that says it sends no more still gets all its answers', async () => {
  const { connection } = await start();

  connection.send(posts(500));
  connection.socket.end();

  expect(await idsOf(connection, 500)).toEqual(upTo(500));
  await connection.closed;
});

test('a server that closes answers all that it has taken, and takes no more', async () => {
  const letGo: (() => void)[] = [];
  const { connection } = await start({
    receive: ({ body }) =>
      new Promise((resolve) => {
        letGo.push(() => {
          resolve({ status: 'accepted', id: Buffer.from(body).toString(), kind: 'a.b', flags: [] });
        });
      }),
  });
  connection.send(posts(300));
  while (letGo.length < 100) await new Promise(setImmediate);

  const closed = server.listener.close(60_000);
  for (const one of letGo) one();

  const answers = [];
  while (answers.length < 100) answers.push(await connection.answer());
  expect(answers.map(({ body }) => Number((JSON.parse(body) as { id: string }).id))).toEqual(upTo(100));
  expect(answers.map(({ headers }) => headers['connection'])).toEqual([
    ...Array.from({ length: 99 }, () => 'keep-alive'),
    'close',
  ]);
  await connection.closed;
  await closed;
  expect(taken()).toEqual(upTo(100));
});

describe('a connection that takes no more requests', () => {
  /** As short as requests are: one read of a socket holds more of them than may wait. */
  const get = (id: number): string => `GET /${String(id)} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const gets = (count: number): string => Array.from({ length: count }, (_, id) => get(id)).join('');
  /** Less than is discarded after the last answer. */
  const FLOOD = gets(60_000);
  /** A few reads of a socket. */
  const FEW_READS = 500_000;
  const TWO_HOSTS = 'GET /1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';

  /** A server that answers nothing until it is let go, and its side of each connection. */
  async function startHeld() {
    const sockets: Socket[] = [];
    const onSocket = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
    subscribe('net.server.socket', onSocket);
    onTestFinished(() => void unsubscribe('net.server.socket', onSocket));
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const taken: number[] = [];
    const { connection } = await start({
      app: {
        fetch: async (request) => {
          const id = Number(new URL(request.url).pathname.slice(1));
          taken.push(id);
          await request.text();
          await held;
          return Response.json({ id });
        },
      },
      direct: false,
    });
    const errors: Error[] = [];
    connection.socket.on('error', (error) => errors.push(error));
    const serverSocket = (): Socket => {
      const socket = sockets.find(({ remotePort }) => remotePort === connection.socket.localPort);
      if (socket === undefined) throw new Error('the server has not accepted the connection');
      return socket;
    };
    const untilTaken = async (count: number): Promise<void> => {
      while (taken.length < count) await new Promise(setImmediate);
    };
    return { connection, errors, serverSocket, taken, untilTaken, letGo };
  }
  type Held = Awaited<ReturnType<typeof startHeld>>;

  interface Case {
    readonly taken: number;
    /** What the last answer is, where it is a refusal of what follows those that were taken. */
    readonly refused?: number;
    /** Makes it take no more, with so many requests taken and none answered. */
    readonly reach: (held: Held) => Promise<void> | void;
  }
  const cases: readonly (readonly [name: string, Case])[] = [
    [
      'because a request names two hosts',
      {
        taken: 1,
        refused: 400,
        reach: ({ connection }) => {
          connection.send(get(0) + TWO_HOSTS);
        },
      },
    ],
    [
      'because too many of its requests wait',
      {
        taken: 1_100,
        reach: ({ connection }) => {
          connection.send(gets(1_500));
        },
      },
    ],
    [
      'because the server closes',
      {
        taken: 1,
        reach: async ({ connection, untilTaken }) => {
          connection.send(get(0));
          await untilTaken(1);
          void server.listener.close(60_000);
        },
      },
    ],
    [
      'because the server closes in the middle of a body',
      {
        taken: 1,
        reach: async ({ connection, untilTaken }) => {
          connection.send('POST /0 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n1');
          await untilTaken(1);
          void server.listener.close(60_000);
          connection.send('2');
        },
      },
    ],
  ];

  async function allAnswers({ connection }: Held, { taken, refused }: Case) {
    const answers = [];
    while (answers.length < taken + (refused === undefined ? 0 : 1)) answers.push(await connection.answer());
    return {
      ids: answers.slice(0, taken).map(({ body }) => (JSON.parse(body) as { id: number }).id),
      status: answers.at(-1)?.status,
      connection: answers.at(-1)?.headers['connection'],
    };
  }

  test.each(cases)('%s is read no more; it answers what it has taken, and ends', async (_name, its) => {
    const held = await startHeld();
    const { connection, serverSocket } = held;
    await its.reach(held);

    connection.send(FLOOD);
    await eventuallyStill(() => serverSocket().bytesRead);

    expect(serverSocket().bytesRead).toBeLessThan(FEW_READS);
    held.letGo();
    expect(await allAnswers(held, its)).toEqual({
      ids: upTo(its.taken),
      status: its.refused ?? 200,
      connection: 'close',
    });
    await connection.closed;
    expect(held.taken).toEqual(upTo(its.taken));
  });

  test.each(cases)('%s sends all answers to one that reads only later', async (_name, its) => {
    const held = await startHeld();
    const { connection, serverSocket } = held;
    connection.socket.pause();
    await its.reach(held);
    connection.send(gets(20_000));
    await eventuallyStill(() => serverSocket().bytesRead);

    held.letGo();
    await eventuallyStill(() => serverSocket().bytesRead);
    connection.socket.resume();

    expect((await allAnswers(held, its)).ids).toEqual(upTo(its.taken));
    await connection.closed;
    expect(held.errors).toEqual([]);
  });

  test('is cut when its sender does not end it half a second after the last answer', async () => {
    const held = await startHeld();
    const { connection, serverSocket } = held;
    connection.socket.allowHalfOpen = true;
    connection.send(get(0) + TWO_HOSTS);
    held.letGo();
    await held.untilTaken(1);
    while (!serverSocket().writableFinished) await new Promise(setImmediate);
    connection.send(get(1));
    await eventuallyStill(() => serverSocket().bytesRead);
    const ended = serverSocket();
    expect(ended.destroyed).toBe(false);

    server.clock.advance(500);

    expect(ended.destroyed).toBe(true);
    expect(held.taken).toEqual([0]);
  });
});
