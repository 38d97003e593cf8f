/** Pipelining limits, timeouts and the end of connections, with fake sockets. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createConnections, type Connections } from './connections.ts';

class FakeSocket extends EventEmitter {
  destroyed = false;
  endsSoon = false;
  isPaused = false;
  bytesRead = 1;
  writableLength = 0;
  timeout: number | undefined;

  setTimeout(ms: number): void {
    this.timeout = ms;
  }

  pause(): this {
    this.isPaused = true;
    return this;
  }

  /** Node emits this a moment later, and reads from then on. */
  resume(): this {
    this.isPaused = false;
    this.emit('resume');
    return this;
  }

  destroySoon(): void {
    this.endsSoon = true;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

class FakeResponse extends EventEmitter {
  shouldKeepAlive = true;
  headersSent = false;
  readonly req = { complete: true, headers: {} };
}

/** Milliseconds, see `ConnectionTimeouts`. */
const IDLE = 65_000;
const UNREAD = 20_000;

interface FakeServer {
  readonly connections: Connections;
  /** Responses to the requests that have begun, in order. */
  readonly begun: object[];
}

function openServer(): FakeServer {
  const begun: object[] = [];
  const connections = createConnections(
    { idleMs: IDLE, unreadMs: UNREAD },
    { begin: (_request, response) => begun.push(response), end: () => undefined },
  );
  return { connections, begun };
}

function connected(server = openServer()) {
  const { connections, begun } = server;
  const fake = new FakeSocket();
  const socket = fake as unknown as Socket;
  connections.add(socket);
  /** Sends a request, and returns whether it has begun at once. */
  const send = (response = new FakeResponse()): boolean => {
    connections.admit({ socket } as IncomingMessage, response as unknown as ServerResponse);
    return begun.includes(response);
  };
  const sendMany = (count: number): FakeResponse[] => {
    const responses = Array.from({ length: count }, () => new FakeResponse());
    for (const response of responses) send(response);
    return responses;
  };
  return { fake, socket, connections, send, sendMany, begun };
}

/** Queued requests begin in the next tick. */
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a hundred requests begin; the others are queued, and the connection is not read', async () => {
  const { fake, begun, sendMany } = connected();
  const responses = sendMany(250);
  expect(begun).toEqual(responses.slice(0, 100));
  expect(fake.isPaused).toBe(true);

  for (const [index, response] of responses.entries()) {
    expect(begun.length).toBe(Math.min(250, 100 + index));
    response.emit('close');
    await tick();
  }

  expect(begun).toEqual(responses);
  expect(fake.isPaused).toBe(false);
  expect([fake.destroyed, fake.endsSoon]).toEqual([false, false]);
});

test('a paused connection stays paused when a body is read, and resumes when its queue is empty', async () => {
  const { fake, sendMany } = connected();
  const responses = sendMany(102);
  fake.resume();
  expect(fake.isPaused).toBe(true);

  responses[0]?.emit('close');
  await tick();
  expect(fake.isPaused).toBe(true);
  responses[1]?.emit('close');
  await tick();
  expect(fake.isPaused).toBe(false);
  fake.pause().resume();
  expect(fake.isPaused).toBe(false);
});

test('beyond the total limit each connection has one request in flight, and its first begins at once', async () => {
  const server = openServer();
  const busy = Array.from({ length: 10 }, () => connected(server));
  const first = busy.map((one) => one.sendMany(100))[0] ?? [];
  expect(server.begun).toHaveLength(1_000);

  const next = connected(server);
  const [head, second] = next.sendMany(2);
  expect([head, second].map((response) => server.begun.includes(response ?? {}))).toEqual([true, false]);

  // Then the room of closed responses goes to queued requests, after the next response of their connection
  for (const response of first.slice(0, 2)) response.emit('close');
  head?.emit('close');
  await tick();
  expect(server.begun.includes(second ?? {})).toBe(true);
  busy[1]?.fake.destroy();
  expect(next.sendMany(100).filter((response) => server.begun.includes(response))).toHaveLength(99);
});

test('beyond the total queue limit requests are dropped, and the last response before them ends the connection', () => {
  const server = openServer();
  // Given other connections with five thousand queued requests
  const others = Array.from({ length: 5 }, () => connected(server));
  for (const other of others) other.sendMany(1_100);
  const { fake, begun, sendMany } = connected(server);

  const responses = sendMany(300);
  expect(responses.filter((response) => begun.includes(response))).toHaveLength(100);
  for (const response of responses) if (begun.includes(response)) response.emit('close');

  expect(responses.map(({ shouldKeepAlive }) => shouldKeepAlive).indexOf(false)).toBe(99);
  expect([fake.isPaused, fake.endsSoon]).toEqual([true, true]);

  // Then a connection that closes leaves its room in the queue to others
  others[0]?.fake.destroy();
  const next = connected(server);
  const [, ...rest] = next.sendMany(300);
  expect(rest.every(({ shouldKeepAlive }) => shouldKeepAlive)).toBe(true);
});

test('one connection queues a thousand requests; one more, and the last of them ends the connection', () => {
  const { begun, sendMany } = connected();
  const responses = sendMany(1_200);
  expect(begun).toHaveLength(100);
  expect(responses.map(({ shouldKeepAlive }) => shouldKeepAlive).indexOf(false)).toBe(1_099);
  expect(responses.filter(({ shouldKeepAlive }) => !shouldKeepAlive)).toHaveLength(1);
});

test('in one tick a hundred queued requests begin, one of each connection after the other', async () => {
  const server = openServer();
  const all = Array.from({ length: 3 }, () => connected(server));
  const responses = all.map(({ sendMany }) => sendMany(200));
  const before = server.begun.length;
  for (const each of responses) for (const response of each.slice(0, 100)) response.emit('close');
  expect(server.begun).toHaveLength(before);

  await tick();
  expect(server.begun).toHaveLength(before + 100);
  expect(server.begun.slice(before, before + 4)).toEqual([
    responses[0]?.[100],
    responses[1]?.[100],
    responses[2]?.[100],
    responses[0]?.[101],
  ]);
  await tick();
  await tick();
  expect(server.begun).toHaveLength(600);
});

test('a connection that is paused or closing has less time to read its responses', () => {
  const { connections, fake, sendMany } = connected();
  sendMany(101);
  const closing = connected({ connections, begun: [] });
  closing.send();
  connections.closeAfterResponse(closing.socket);
  fake.writableLength = closing.fake.writableLength = 3;
  connections.cutTimedOut(0);
  expect([fake.timeout, closing.fake.timeout]).toEqual([2_000, 2_000]);
});

test('a closed connection, or one that closes after its response, admits no request', async () => {
  const closed = connected();
  closed.fake.emit('close');
  expect(closed.send()).toBe(false);

  const ending = connected();
  const [first, second] = ending.sendMany(101);
  ending.connections.closeAfterResponse(ending.socket);
  expect(ending.send()).toBe(false);
  expect(ending.fake.isPaused).toBe(true);
  // Nor its queued requests
  for (const response of [first, second]) response?.emit('close');
  await tick();
  expect(ending.begun).toHaveLength(100);
});

test('a failed connection ends after the responses to all complete requests', async () => {
  const { connections, socket, fake, begun, sendMany, send } = connected();
  const ended: boolean[] = [];
  const responses = sendMany(120);
  const broken = new FakeResponse();
  broken.req.complete = false;
  send(broken);

  connections.fail(socket, (isResponding) => ended.push(isResponding));
  expect(send()).toBe(false);
  for (const response of responses) {
    expect(ended).toEqual([]);
    response.emit('close');
    await tick();
  }

  expect(ended).toEqual([false]);
  expect(begun).toEqual([...responses, broken]);
  // `end` destroys it.
  expect([fake.isPaused, fake.destroyed]).toEqual([true, false]);
});

test('a failed connection without requests ends at once, and `end` learns of a response written in part', () => {
  const ended: boolean[] = [];
  const end = (isResponding: boolean) => void ended.push(isResponding);
  const idle = connected();
  idle.connections.fail(idle.socket, end);
  const closed = connected();
  closed.fake.destroy();
  closed.connections.fail(closed.socket, end);
  const responding = connected();
  const response = new FakeResponse();
  Object.assign(response, { headersSent: true, req: { complete: false } });
  responding.send(response);
  responding.connections.fail(responding.socket, end);

  expect(ended).toEqual([false, false, true]);
});

test('a connection with a request since the last check is not cut, nor one with the start of a request', () => {
  const { connections, fake, send } = connected();
  connections.cutTimedOut(0);
  const response = new FakeResponse();
  send(response);
  response.emit('close');
  connections.cutTimedOut(IDLE);
  expect(fake.destroyed).toBe(false);

  fake.bytesRead += 1;
  connections.cutTimedOut(2 * IDLE);
  expect(fake.destroyed).toBe(false);
  connections.cutTimedOut(3 * IDLE);
  expect(fake.destroyed).toBe(true);
});

test('a connection that sends bytes now and then, and never a request, is cut', () => {
  const { connections, fake } = connected();
  for (let now = 0; now < 2 * IDLE; now += 20_000) {
    fake.bytesRead += 2;
    connections.cutTimedOut(now);
    expect(fake.destroyed).toBe(false);
  }

  fake.bytesRead += 2;
  connections.cutTimedOut(2 * IDLE + 20_000);
  expect(fake.destroyed).toBe(true);
});

test('Node times a connection while it does not read its response', () => {
  const { connections, fake, send } = connected();
  send();
  connections.cutTimedOut(0);
  expect(fake.timeout).toBeUndefined();

  fake.writableLength = 3;
  for (let now = 0; now <= 2 * IDLE; now += 1_000) connections.cutTimedOut(now);
  expect(fake.timeout).toBe(UNREAD);
  expect(fake.destroyed).toBe(false);

  fake.writableLength = 0;
  connections.cutTimedOut(2 * IDLE + 1_000);
  expect(fake.timeout).toBe(0);
});

test('a connection that closes after its response is cut like any other', () => {
  const { connections, socket, fake } = connected();
  connections.closeAfterResponse(socket);
  connections.cutTimedOut(IDLE);
  expect(fake.destroyed).toBe(false);
  connections.cutTimedOut(2 * IDLE);
  expect(fake.destroyed).toBe(true);
});

test('winding down ends unused connections at once, and the others after their responses', async () => {
  const server = openServer();
  const unused = connected(server);
  unused.fake.bytesRead = 0;
  const waiting = connected(server);
  const responses = waiting.sendMany(150);
  const used = connected(server);
  // With closed responses, and queued requests that begin in the next tick
  const between = connected(server);
  for (const response of between.sendMany(110).slice(0, 100)) response.emit('close');

  server.connections.windDown();

  expect([unused.fake.destroyed, waiting.fake.destroyed, used.fake.destroyed]).toEqual([true, false, false]);
  expect([between.fake.endsSoon, used.fake.endsSoon]).toEqual([true, false]);
  // Requests that have not begun are not stored; the sender repeats them elsewhere.
  expect(responses.map(({ shouldKeepAlive }) => shouldKeepAlive).indexOf(false)).toBe(99);
  for (const response of responses.slice(0, 100)) response.emit('close');
  await tick();
  expect(responses.map((response) => server.begun.includes(response)).lastIndexOf(true)).toBe(99);
  expect(waiting.fake.endsSoon).toBe(true);

  const [first, second] = used.sendMany(2);
  expect([first, second].map((response) => server.begun.includes(response ?? {}))).toEqual([true, false]);
  expect(first?.shouldKeepAlive).toBe(false);
});

test('while winding down, a connection with the start of a request is cut after a shorter timeout', () => {
  const { connections, fake } = connected();
  connections.cutTimedOut(0);
  connections.windDown();

  for (let now = 0; now < 2 * UNREAD; now += 1_000) connections.cutTimedOut(now);
  expect(fake.destroyed).toBe(false);
  connections.cutTimedOut(2 * UNREAD);
  expect(fake.destroyed).toBe(true);
});

test('winding down reads until the body of the last request is complete, and no further', () => {
  const server = openServer();
  const complete = connected(server);
  complete.send();
  const incomplete = connected(server);
  const sending = new FakeResponse();
  sending.req.complete = false;
  incomplete.send(sending);
  const idle = connected(server);

  server.connections.windDown();
  expect([complete, incomplete, idle].map(({ fake }) => fake.isPaused)).toEqual([true, false, false]);

  sending.req.complete = true;
  expect(incomplete.send()).toBe(false);
  expect(incomplete.fake.isPaused).toBe(true);
  expect([idle.send(), idle.send()]).toEqual([true, false]);
  expect(idle.fake.isPaused).toBe(true);
});
