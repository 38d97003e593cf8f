import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { beforeEach, expect, test } from 'vitest';
import type { ReadRequest } from './messages.ts';
import { createThreadReader, type ThreadReader } from './thread-reader.ts';

/** A thread that answers when the test says so. */
class FakeThread extends EventEmitter {
  readonly requests: ReadRequest[] = [];
  keepsProcess = true;

  postMessage(message: unknown): void {
    if (message === 'close') setImmediate(() => this.emit('exit', 0));
    else if (typeof message === 'object' && message !== null && 'name' in message)
      this.requests.push(message as ReadRequest);
  }
  ref(): void {
    this.keepsProcess = true;
  }
  unref(): void {
    this.keepsProcess = false;
  }
}

let threads: FakeThread[];
let reader: ThreadReader;

beforeEach(() => {
  threads = [];
  reader = createThreadReader({ file: 'a.db', installation: 'abcdef', maxQuarantineBytes: 1 }, () => {
    const thread = new FakeThread();
    threads.push(thread);
    return thread as unknown as Worker;
  });
});

test('answers go to whoever asked, in whatever order, and keep the process alive meanwhile', async () => {
  const one = reader.reads.event('1');
  const other = reader.reads.event('2');
  const [thread] = threads;
  expect(thread?.requests.map(({ parameters }) => parameters)).toEqual([['1'], ['2']]);
  expect(thread?.keepsProcess).toBe(true);

  thread?.emit('message', { id: thread.requests[1]?.id, value: 'second' });
  thread?.emit('message', { id: thread.requests[0]?.id, value: 'first' });

  expect(await Promise.all([one, other])).toEqual(['first', 'second']);
  expect(thread?.keepsProcess).toBe(false);
});

test('an error comes as it was', async () => {
  const read = reader.reads.totals();
  const error = { code: 'store-busy', message: 'busy', problems: [], cause: null };
  threads[0]?.emit('message', { id: threads[0].requests[0]?.id, error });
  await expect(read).rejects.toMatchObject({ code: 'store-busy', message: 'busy' });
});

test('a thread that ends takes its reads along, and the next read starts another', async () => {
  const lost = reader.reads.statistics();
  threads[0]?.emit('error', new Error('out of memory'));
  threads[0]?.emit('exit', 1);
  await expect(lost).rejects.toMatchObject({ code: 'store-failed' });

  const read = reader.reads.event('1');
  expect(threads).toHaveLength(2);
  threads[1]?.emit('message', { id: threads[1].requests[0]?.id, value: null });
  expect(await read).toBeNull();
});

test('who closes refuses what is not answered, and what is asked later', async () => {
  const open = reader.reads.event('1');
  const closing = reader.close();
  await expect(open).rejects.toMatchObject({ code: 'stopping' });
  await closing;
  await expect(reader.reads.event('2')).rejects.toMatchObject({ code: 'stopping' });
  expect(threads).toHaveLength(1);
});
