/** Long bodies on many connections share a bounded memory, which short bodies do not use. */
import { afterEach, expect, test } from 'vitest';
import { untilPasses } from '../support/eventually.ts';
import { FREE_BODY_BYTES } from '../../src/receive/read-body.ts';
import { connect, type RawConnection } from '../support/raw-connection.ts';
import { startReceiving, type ReceivingServer, type ServerOptions } from '../support/receiving-server.ts';

/** Enough for two long bodies, and not for three. */
const MEMORY = 200_000;
const LONG = FREE_BODY_BYTES + 90_000;

let server: ReceivingServer;

async function start(options: ServerOptions = {}): Promise<void> {
  server = await startReceiving({ maxBodyBytes: 1_000_000, bodyMemoryBytes: MEMORY, ...options });
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
  return (await connection.response()).status;
}

/** Starts two long bodies, which use up the memory. */
async function useUpMemory(): Promise<readonly RawConnection[]> {
  const stalled = [await begin(LONG), await begin(LONG)];
  await untilPasses(async () => {
    const third = await begin(LONG);
    expect(await third.response()).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: expect.stringContaining('Too many long bodies are being received'),
    });
  });
  return stalled;
}

test('without memory a long body gets 503 with Retry-After, and a short body is accepted', async () => {
  await start();
  await useUpMemory();

  const short = await begin(FREE_BODY_BYTES / 2);
  short.send('x');
  expect(await status(short)).toBe(202);
});

test('a body releases its memory when it gets a response or its connection closes', async () => {
  await start();
  const [one, other] = await useUpMemory();

  one?.send('x');
  expect(one && (await status(one))).toBe(202);
  other?.socket.destroy();
  await untilPasses(() => {
    expect(server.responses).toContainEqual(expect.objectContaining({ status: 408 }));
  });
  for (let round = 1; round <= 5; round += 1) {
    const next = [await begin(LONG), await begin(LONG)];
    for (const connection of next) connection.send('x');
    expect(await Promise.all(next.map(status))).toEqual([202, 202]);
  }
});

test('a complete body keeps its memory until its response', async () => {
  const finish: (() => void)[] = [];
  await start({
    receive: () =>
      new Promise((resolve) => {
        finish.push(() => {
          resolve({ status: 'accepted', id: 't', kind: 'a.b', flags: [] });
        });
      }),
  });
  const whole = [await begin(LONG), await begin(LONG)];
  for (const connection of whole) connection.send('x');
  await untilPasses(() => {
    expect(finish).toHaveLength(2);
  });

  const third = await begin(LONG);
  expect(await status(third)).toBe(503);
  for (const one of finish) one();
  expect(await Promise.all(whole.map(status))).toEqual([202, 202]);
});
