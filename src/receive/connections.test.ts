/** What a connection may ask for, and when it is of no use any more. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createConnections, type Connections } from './connections.ts';

class FakeSocket extends EventEmitter {
  destroyed = false;
  bytesRead = 1;
  writableLength = 0;
  timeout: number | undefined;

  setTimeout(ms: number): void {
    this.timeout = ms;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

class FakeResponse extends EventEmitter {
  shouldKeepAlive = true;
}

/** Milliseconds; see Patience. */
const IDLE = 65_000;
const UNREAD = 20_000;

function opened(): Connections {
  return createConnections({ idleMs: IDLE, unreadMs: UNREAD });
}

function connected(connections = opened()) {
  const fake = new FakeSocket();
  const socket = fake as unknown as Socket;
  connections.add(socket);
  return {
    fake,
    socket,
    connections,
    ask(response = new FakeResponse()): boolean {
      const request = { socket } as IncomingMessage;
      return connections.admit(request, response as unknown as ServerResponse, () => undefined);
    },
  };
}

test('a hundred requests may wait for their answers; one more, and the connection is cut', () => {
  const { fake, ask } = connected();
  const first = new FakeResponse();
  expect(ask(first)).toBe(true);
  for (let asked = 1; asked < 100; asked += 1) expect(ask()).toBe(true);
  first.emit('close');
  expect(ask()).toBe(true);
  expect(fake.destroyed).toBe(false);

  expect([ask(), ask()]).toEqual([false, false]);
  expect(fake.destroyed).toBe(true);
});

test('nothing is admitted on a connection that is closed or distrusted', () => {
  const closed = connected();
  closed.fake.emit('close');
  expect(closed.ask()).toBe(false);

  const distrusted = connected();
  distrusted.connections.distrust(distrusted.socket);
  expect(distrusted.ask()).toBe(false);
});

test('a connection that asks nothing is cut when it has waited long enough, and not before', () => {
  const { connections, fake, ask } = connected();
  const response = new FakeResponse();
  ask(response);
  response.emit('close');
  connections.cutUseless(1_000);

  connections.cutUseless(1_000 + IDLE - 1);
  expect(fake.destroyed).toBe(false);
  connections.cutUseless(1_000 + IDLE);
  expect(fake.destroyed).toBe(true);
});

test('the time counts from its answer, not from the look before that', () => {
  const { connections, fake, ask } = connected();
  const response = new FakeResponse();
  ask(response);
  connections.cutUseless(1_000);
  response.emit('close');
  connections.cutUseless(2_000);

  connections.cutUseless(1_000 + IDLE);
  expect(fake.destroyed).toBe(false);
  connections.cutUseless(2_000 + IDLE);
  expect(fake.destroyed).toBe(true);
});

test('one that has asked since is not, nor one that has begun to', () => {
  const { connections, fake, ask } = connected();
  connections.cutUseless(0);
  const response = new FakeResponse();
  ask(response);
  response.emit('close');
  connections.cutUseless(IDLE);
  expect(fake.destroyed).toBe(false);

  fake.bytesRead += 1;
  connections.cutUseless(2 * IDLE);
  expect(fake.destroyed).toBe(false);
  connections.cutUseless(3 * IDLE);
  expect(fake.destroyed).toBe(true);
});

test('one that sends now and then and never asks anything is', () => {
  const { connections, fake } = connected();
  for (let now = 0; now < 2 * IDLE; now += 20_000) {
    fake.bytesRead += 2;
    connections.cutUseless(now);
    expect(fake.destroyed).toBe(false);
  }

  fake.bytesRead += 2;
  connections.cutUseless(2 * IDLE + 20_000);
  expect(fake.destroyed).toBe(true);
});

test('one whose answer takes its time is never cut', () => {
  const { connections, fake, ask } = connected();
  ask();
  for (let now = 0; now <= 10 * IDLE; now += UNREAD) connections.cutUseless(now);
  expect(fake.destroyed).toBe(false);
});

test('one that has yet to read its answer is timed by Node, until it has', () => {
  const { connections, fake, ask } = connected();
  ask();
  connections.cutUseless(0);
  expect(fake.timeout).toBeUndefined();

  fake.writableLength = 3;
  for (let now = 0; now <= 2 * IDLE; now += 1_000) connections.cutUseless(now);
  expect(fake.timeout).toBe(UNREAD);
  expect(fake.destroyed).toBe(false);

  fake.writableLength = 0;
  connections.cutUseless(2 * IDLE + 1_000);
  expect(fake.timeout).toBe(0);
});

test('one that is not believed any more is cut like any other', () => {
  const { connections, socket, fake } = connected();
  connections.distrust(socket);
  connections.cutUseless(IDLE);
  expect(fake.destroyed).toBe(false);
  connections.cutUseless(2 * IDLE);
  expect(fake.destroyed).toBe(true);
});

test('winding down ends unused connections at once, and the others after their answers', () => {
  const connections = opened();
  const unused = connected(connections);
  unused.fake.bytesRead = 0;
  const waiting = connected(connections);
  const [before, after] = [new FakeResponse(), new FakeResponse()];
  waiting.ask(before);

  connections.windDown();
  waiting.ask(after);

  expect([unused.fake.destroyed, waiting.fake.destroyed]).toEqual([true, false]);
  expect([before.shouldKeepAlive, after.shouldKeepAlive]).toEqual([false, false]);
});

test('one that has begun to ask is waited for less when all winds down', () => {
  const { connections, fake } = connected();
  connections.cutUseless(0);
  connections.windDown();

  for (let now = 0; now < 2 * UNREAD; now += 1_000) connections.cutUseless(now);
  expect(fake.destroyed).toBe(false);
  connections.cutUseless(2 * UNREAD);
  expect(fake.destroyed).toBe(true);
});
