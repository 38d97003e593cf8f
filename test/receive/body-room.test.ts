/** Long bodies of many connections at a time, over real sockets: they share a bounded memory, which short ones do not need. */
import { afterEach, expect, test, vi } from 'vitest';
import { FREE_BYTES } from '../../src/receive/body-room.ts';
import { connect, type RawConnection } from '../support/raw-connection.ts';
import { startReceiving, type ReceivingServer, type ServerOptions } from '../support/receiving-server.ts';

/** Twice the room that a long body needs, and not three times. */
const ROOM = 200_000;
const LONG = FREE_BYTES + 90_000;

let server: ReceivingServer;

async function start(options: ServerOptions = {}): Promise<void> {
  server = await startReceiving({ maxBodyBytes: 1_000_000, bodyRoomBytes: ROOM, ...options });
}

afterEach(() => server.stop());

async function begin(bytes: number): Promise<RawConnection> {
  const connection = await connect(server.port);
  connection.send(
    `POST /webhooks HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${String(bytes)}\r\n\r\n${'x'.repeat(bytes - 1)}`,
  );
  return connection;
}

async function status(connection: RawConnection): Promise<number> {
  return (await connection.answer()).status;
}

/** Two that have taken the room: a third gets none. */
async function takeRoom(): Promise<readonly RawConnection[]> {
  const stalled = [await begin(LONG), await begin(LONG)];
  await vi.waitFor(async () => {
    const third = await begin(LONG);
    expect(await third.answer()).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: expect.stringContaining('Too many long bodies are on their way'),
    });
  });
  return stalled;
}

test('a long body that finds no room is to be sent again; short ones are taken', async () => {
  await start();
  await takeRoom();

  const short = await begin(FREE_BYTES / 2);
  short.send('x');
  expect(await status(short)).toBe(202);
});

test('what is answered, refused or given up makes room', async () => {
  await start();
  const [one, other] = await takeRoom();

  one?.send('x');
  expect(one && (await status(one))).toBe(202);
  other?.socket.destroy();
  await vi.waitFor(() => {
    expect(server.answered).toContainEqual(expect.objectContaining({ status: 408 }));
  });
  for (let round = 1; round <= 5; round += 1) {
    const next = [await begin(LONG), await begin(LONG)];
    for (const connection of next) connection.send('x');
    expect(await Promise.all(next.map(status))).toEqual([202, 202]);
  }
});

test('a body keeps its room until it is answered', async () => {
  const answers: (() => void)[] = [];
  await start({
    receive: () =>
      new Promise((resolve) => {
        answers.push(() => {
          resolve({ status: 'accepted', id: 't', kind: 'a.b', flags: [] });
        });
      }),
  });
  const whole = [await begin(LONG), await begin(LONG)];
  for (const connection of whole) connection.send('x');
  await vi.waitFor(() => {
    expect(answers).toHaveLength(2);
  });

  const third = await begin(LONG);
  expect(await status(third)).toBe(503);
  for (const answer of answers) answer();
  expect(await Promise.all(whole.map(status))).toEqual([202, 202]);
});
