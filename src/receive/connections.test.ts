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

  destroy(): void {
    this.destroyed = true;
  }
}

class FakeResponse extends EventEmitter {
  shouldKeepAlive = true;
}

function connected(connections: Connections = createConnections()) {
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

test('a connection that is idle, or does not read its answer, is dead weight; one whose answer takes its time is not', () => {
  const { connections, fake, socket, ask } = connected();
  expect(connections.isDeadWeight(socket)).toBe(true);
  const response = new FakeResponse();
  ask(response);
  expect(connections.isDeadWeight(socket)).toBe(false);
  fake.writableLength = 1;
  expect(connections.isDeadWeight(socket)).toBe(true);
  fake.writableLength = 0;
  response.emit('close');
  expect(connections.isDeadWeight(socket)).toBe(true);
});

test('winding down ends unused connections at once, and the others after their answers', () => {
  const connections = createConnections();
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
