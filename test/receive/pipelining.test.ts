/** Many requests on one connection, none of them waiting for an answer: what is taken is answered, in order. */
import { afterEach, expect, test } from 'vitest';
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
    body: '{"error":"Bad Request","message":"This is no HTTP request"}',
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
