import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ReaderRequest, ReaderThreadData } from '../commit/thread/messages.ts';
import { createReaderClient, type ReaderClient } from './reader-client.ts';

/** A thread whose replies the test controls. */
class FakeThread extends EventEmitter {
  readonly requests: ReaderRequest[] = [];
  keepsProcess = true;

  postMessage(message: ReaderRequest | ReaderThreadData): void {
    if (message === 'close' || 'name' in message) this.requests.push(message);
  }
  /** Replies to the running read, and lets its caller continue. */
  async reply(value: unknown): Promise<void> {
    this.emit('message', { value });
    await setImmediate();
  }
  /** The last request, as `name(parameters)`. */
  get last(): string | undefined {
    const request = this.requests.at(-1);
    if (request === undefined || request === 'close') return request;
    return `${request.name}(${request.parameters.join()})`;
  }
  ref(): void {
    this.keepsProcess = true;
  }
  unref(): void {
    this.keepsProcess = false;
  }
}

const READS = [
  'event',
  'eventBefore',
  'events',
  'statistics',
  'storedBodies',
  'totals',
  'versionOrder',
] as const;

let threads: FakeThread[];
let reader: ReaderClient;

beforeEach(() => {
  threads = [];
  reader = createReaderClient({ file: 'a.db', storeId: 'abcdef', maxQuarantineBytes: 1 }, READS, () => {
    const thread = new FakeThread();
    threads.push(thread);
    return thread as unknown as Worker;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

test('runs one read at a time, and keeps the process alive until all are done', async () => {
  const one = reader.reads.event('1');
  const other = reader.reads.event('2');
  const [thread] = threads;
  expect(thread?.requests).toHaveLength(1);
  expect(thread?.last).toBe('event(1)');

  await thread?.reply('first');
  expect(await one).toBe('first');
  expect(thread?.last).toBe('event(2)');
  expect(thread?.keepsProcess).toBe(true);

  await thread?.reply('second');
  expect(await other).toBe('second');
  expect(thread?.keepsProcess).toBe(false);
});

test('reads of deliveries overtake queued reads of operators', async () => {
  const page = { order: 'oldest', limit: 1 } as const;
  const subject = { family: 'charge', id: '1' };
  void reader.reads.events({ kinds: ['nothing.*'] }, page);
  void reader.reads.event('1');
  void reader.reads.event('2');
  void reader.reads.storedBodies(['3']);
  void reader.reads.eventBefore('default', subject, '4');
  void reader.reads.versionOrder({ source: 'default', subject });

  for (let count = 0; count < 5; count += 1) await threads[0]?.reply(null);

  expect(threads[0]?.requests.map((request) => (request === 'close' ? request : request.name))).toEqual([
    'events',
    'storedBodies',
    'eventBefore',
    'versionOrder',
    'event',
    'event',
  ]);
});

test("a delivery's next read overtakes queued reads, too", async () => {
  const subject = { family: 'charge', id: '1' };
  const read = async () => {
    await reader.reads.eventBefore('default', subject, '4');
    await reader.reads.storedBodies(['3']);
  };
  void read();
  void reader.reads.event('1');

  await threads[0]?.reply('3');
  expect(threads[0]?.last).toBe('storedBodies(3)');
  await threads[0]?.reply(null);
  expect(threads[0]?.last).toBe('event(1)');
});

test('at most twenty reads of deliveries overtake a read of an operator', async () => {
  for (let number = 1; number <= 25; number += 1) void reader.reads.storedBodies([String(number)]);
  void reader.reads.event('1');

  // The first read ran before the operator's read was queued.
  for (let count = 0; count < 21; count += 1) await threads[0]?.reply(null);
  expect(threads[0]?.last).toBe('event(1)');
  await threads[0]?.reply(null);
  expect(threads[0]?.last).toBe('storedBodies(22)');
});

test('rejects with the error of the read', async () => {
  const read = reader.reads.totals();
  const error = { code: 'store-busy', message: 'busy', problems: [], cause: null };
  threads[0]?.emit('message', { error });
  await expect(read).rejects.toMatchObject({ code: 'store-busy', message: 'busy' });
});

test('a read that cannot be sent fails alone', async () => {
  vi.spyOn(FakeThread.prototype, 'postMessage')
    .mockImplementationOnce(() => undefined)
    .mockImplementationOnce(() => {
      throw new Error('cannot be cloned');
    });
  const unsent = reader.reads.event('1');
  const read = reader.reads.event('2');

  await expect(unsent).rejects.toThrow('cannot be cloned');
  await threads[0]?.reply(null);
  expect(await read).toBeNull();
});

test('when the thread exits, its running read fails, and a new thread runs the rest', async () => {
  const lost = reader.reads.statistics();
  const queued = reader.reads.event('1');
  threads[0]?.emit('error', new Error('out of memory'));
  threads[0]?.emit('exit', 1);
  await expect(lost).rejects.toMatchObject({ code: 'store-failed' });

  expect(threads).toHaveLength(2);
  await threads[1]?.reply(null);
  expect(await queued).toBeNull();
});

test('close waits for the running read, and rejects the queued ones', async () => {
  const running = reader.reads.event('1');
  const queued = reader.reads.event('2');
  const closing = reader.close();
  const [thread] = threads;

  await expect(running).rejects.toMatchObject({ code: 'stopping' });
  await expect(queued).rejects.toMatchObject({ code: 'stopping' });
  expect(thread?.requests).toHaveLength(2);
  expect(thread?.last).toBe('close');

  await thread?.reply(null);
  thread?.emit('exit', 0);
  await closing;
  expect(thread?.last).toBe('close');
  await expect(reader.reads.event('3')).rejects.toMatchObject({ code: 'stopping' });
  expect(threads).toHaveLength(1);
});
