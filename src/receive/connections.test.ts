/** What a connection may ask for, and when it is of no use any more. */
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

  /** Node says so a moment later, and reads from then on. */
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
  readonly req = { complete: true };
}

/** Milliseconds; see Patience. */
const IDLE = 65_000;
const UNREAD = 20_000;

interface World {
  readonly connections: Connections;
  /** In the order in which their turns came. */
  readonly begun: object[];
}

function opened(): World {
  const begun: object[] = [];
  const connections = createConnections(
    { idleMs: IDLE, unreadMs: UNREAD },
    { begin: (_request, response) => begun.push(response), end: () => undefined },
  );
  return { connections, begun };
}

function connected(world = opened()) {
  const { connections, begun } = world;
  const fake = new FakeSocket();
  const socket = fake as unknown as Socket;
  connections.add(socket);
  /** Whether its turn has come at once. */
  const ask = (response = new FakeResponse()): boolean => {
    connections.admit({ socket } as IncomingMessage, response as unknown as ServerResponse);
    return begun.includes(response);
  };
  const askMany = (count: number): FakeResponse[] => {
    const responses = Array.from({ length: count }, () => new FakeResponse());
    for (const response of responses) ask(response);
    return responses;
  };
  return { fake, socket, connections, ask, askMany, begun };
}

/** Requests that wait begin in a turn of the loop of their own. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a hundred requests are worked on; those behind wait for their turn, and nothing more is read', async () => {
  const { fake, begun, askMany } = connected();
  const responses = askMany(250);
  expect(begun).toEqual(responses.slice(0, 100));
  expect(fake.isPaused).toBe(true);

  for (const [index, response] of responses.entries()) {
    expect(begun.length).toBe(Math.min(250, 100 + index));
    response.emit('close');
    await turn();
  }

  expect(begun).toEqual(responses);
  expect(fake.isPaused).toBe(false);
  expect([fake.destroyed, fake.endsSoon]).toEqual([false, false]);
});

test('one that is held stays so when somebody reads a body, and is read on when none waits for its turn', async () => {
  const { fake, askMany } = connected();
  const responses = askMany(102);
  fake.resume();
  expect(fake.isPaused).toBe(true);

  responses[0]?.emit('close');
  await turn();
  expect(fake.isPaused).toBe(true);
  responses[1]?.emit('close');
  await turn();
  expect(fake.isPaused).toBe(false);
  fake.pause().resume();
  expect(fake.isPaused).toBe(false);
});

test('where many pipeline, each has one in flight; the first of a connection never waits for others', async () => {
  const world = opened();
  const busy = Array.from({ length: 10 }, () => connected(world));
  const first = busy.map((one) => one.askMany(100))[0] ?? [];
  expect(world.begun).toHaveLength(1_000);

  const next = connected(world);
  const [head, second] = next.askMany(2);
  expect([head, second].map((response) => world.begun.includes(response ?? {}))).toEqual([true, false]);

  // Then what becomes free goes to those that wait, at their next answer
  for (const response of first.slice(0, 2)) response.emit('close');
  head?.emit('close');
  await turn();
  expect(world.begun.includes(second ?? {})).toBe(true);
  busy[1]?.fake.destroy();
  expect(next.askMany(100).filter((response) => world.begun.includes(response))).toHaveLength(99);
});

test('what finds no room is not begun: the last that was taken says that its connection ends', () => {
  const world = opened();
  // Given other connections with five thousand requests that wait
  const others = Array.from({ length: 5 }, () => connected(world));
  for (const other of others) other.askMany(1_100);
  const { fake, begun, askMany } = connected(world);

  const responses = askMany(300);
  expect(responses.filter((response) => begun.includes(response))).toHaveLength(100);
  for (const response of responses) if (begun.includes(response)) response.emit('close');

  expect(responses.map(({ shouldKeepAlive }) => shouldKeepAlive).indexOf(false)).toBe(99);
  expect([fake.isPaused, fake.endsSoon]).toEqual([true, true]);

  // Then a connection that closes leaves its room to others
  others[0]?.fake.destroy();
  const next = connected(world);
  const [, ...rest] = next.askMany(300);
  expect(rest.every(({ shouldKeepAlive }) => shouldKeepAlive)).toBe(true);
});

test('of one connection a thousand wait; one more, and the last of them says that it ends', () => {
  const { begun, askMany } = connected();
  const responses = askMany(1_200);
  expect(begun).toHaveLength(100);
  expect(responses.map(({ shouldKeepAlive }) => shouldKeepAlive).indexOf(false)).toBe(1_099);
  expect(responses.filter(({ shouldKeepAlive }) => !shouldKeepAlive)).toHaveLength(1);
});

test('in one turn of the loop a hundred begin, one of each connection after the other', async () => {
  const world = opened();
  const all = Array.from({ length: 3 }, () => connected(world));
  const responses = all.map(({ askMany }) => askMany(200));
  const before = world.begun.length;
  for (const each of responses) for (const response of each.slice(0, 100)) response.emit('close');
  expect(world.begun).toHaveLength(before);

  await turn();
  expect(world.begun).toHaveLength(before + 100);
  expect(world.begun.slice(before, before + 4)).toEqual([
    responses[0]?.[100],
    responses[1]?.[100],
    responses[2]?.[100],
    responses[0]?.[101],
  ]);
  await turn();
  await turn();
  expect(world.begun).toHaveLength(600);
});

test('one that is held, or takes no more, has less time to read its answers', () => {
  const { connections, fake, askMany } = connected();
  askMany(101);
  const closing = connected({ connections, begun: [] });
  closing.ask();
  connections.distrust(closing.socket);
  fake.writableLength = closing.fake.writableLength = 3;
  connections.cutUseless(0);
  expect([fake.timeout, closing.fake.timeout]).toEqual([2_000, 2_000]);
});

test('nothing is admitted on a connection that is closed or distrusted', async () => {
  const closed = connected();
  closed.fake.emit('close');
  expect(closed.ask()).toBe(false);

  const distrusted = connected();
  const [first, second] = distrusted.askMany(101);
  distrusted.connections.distrust(distrusted.socket);
  expect(distrusted.ask()).toBe(false);
  expect(distrusted.fake.isPaused).toBe(true);
  // Nor what waited already
  for (const response of [first, second]) response?.emit('close');
  await turn();
  expect(distrusted.begun).toHaveLength(100);
});

test('one that fails is ended when all that came whole before is answered', async () => {
  const { connections, socket, fake, begun, askMany, ask } = connected();
  const ended: boolean[] = [];
  const responses = askMany(120);
  const broken = new FakeResponse();
  broken.req.complete = false;
  ask(broken);

  connections.fail(socket, (isAnswering) => ended.push(isAnswering));
  expect(ask()).toBe(false);
  for (const response of responses) {
    expect(ended).toEqual([]);
    response.emit('close');
    await turn();
  }

  expect(ended).toEqual([false]);
  expect(begun).toEqual([...responses, broken]);
  // By whoever ends it
  expect([fake.isPaused, fake.destroyed]).toEqual([true, false]);
});

test('one that fails is ended at once when it waits for nothing, and in the middle of an answer says nothing', () => {
  const ended: boolean[] = [];
  const end = (isAnswering: boolean) => void ended.push(isAnswering);
  const idle = connected();
  idle.connections.fail(idle.socket, end);
  const closed = connected();
  closed.fake.destroy();
  closed.connections.fail(closed.socket, end);
  const answering = connected();
  const response = new FakeResponse();
  Object.assign(response, { headersSent: true, req: { complete: false } });
  answering.ask(response);
  answering.connections.fail(answering.socket, end);

  expect(ended).toEqual([false, false, true]);
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

test('winding down ends unused connections at once, and the others after the answers they wait for', async () => {
  const world = opened();
  const unused = connected(world);
  unused.fake.bytesRead = 0;
  const waiting = connected(world);
  const responses = waiting.askMany(150);
  const used = connected(world);
  // Between the answers of some and the turns of the others
  const between = connected(world);
  for (const response of between.askMany(110).slice(0, 100)) response.emit('close');

  world.connections.windDown();

  expect([unused.fake.destroyed, waiting.fake.destroyed, used.fake.destroyed]).toEqual([true, false, false]);
  expect([between.fake.endsSoon, used.fake.endsSoon]).toEqual([true, false]);
  // What has not begun is not stored; the sender sends it elsewhere.
  expect(responses.map(({ shouldKeepAlive }) => shouldKeepAlive).indexOf(false)).toBe(99);
  for (const response of responses.slice(0, 100)) response.emit('close');
  await turn();
  expect(responses.map((response) => world.begun.includes(response)).lastIndexOf(true)).toBe(99);
  expect(waiting.fake.endsSoon).toBe(true);

  const [first, second] = used.askMany(2);
  expect([first, second].map((response) => world.begun.includes(response ?? {}))).toEqual([true, false]);
  expect(first?.shouldKeepAlive).toBe(false);
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

test('winding down reads on until the body of the last request is complete, and no further', () => {
  const world = opened();
  const complete = connected(world);
  complete.ask();
  const incomplete = connected(world);
  const sending = new FakeResponse();
  sending.req.complete = false;
  incomplete.ask(sending);
  const idle = connected(world);

  world.connections.windDown();
  expect([complete, incomplete, idle].map(({ fake }) => fake.isPaused)).toEqual([true, false, false]);

  sending.req.complete = true;
  expect(incomplete.ask()).toBe(false);
  expect(incomplete.fake.isPaused).toBe(true);
  expect([idle.ask(), idle.ask()]).toEqual([true, false]);
  expect(idle.fake.isPaused).toBe(true);
});
