/** The main thread's side of the reading thread. */
import { Worker } from 'node:worker_threads';
import { PortariaError } from '../../../kernel/errors.ts';
import { ownModule } from '../../../kernel/files/package-files.ts';
import {
  portariaError,
  type ReaderRequest,
  type ReaderThreadData,
  type ReadReply,
  type ReadRequest,
} from '../commit/thread/messages.ts';
import type { Reads } from './reads.ts';

/** Runs reads in a thread of its own, so that webhooks do not wait for long ones. */
export interface ReaderClient {
  readonly reads: Reads;
  /** Starts the thread before the first read. */
  start(): void;
  /** Resolves when the thread answers, or has failed. */
  ready(): Promise<void>;
  /** Rejects pending reads and waits for the running one. */
  close(): Promise<void>;
}

interface Read extends ReadRequest {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The reads that deliveries wait for; operators wait for all others. */
const FOR_DELIVERIES: ReadonlySet<keyof Reads> = new Set(['versionOrder', 'eventBefore', 'storedBodies']);

const waiterOf = (name: keyof Reads): 'delivery' | 'operator' =>
  FOR_DELIVERIES.has(name) ? 'delivery' : 'operator';

/** The maximum number of deliveries' reads that overtake a pending read of an operator. */
const MAX_OVERTAKING = 20;

/**
 * Queues reads in this thread and sends one at a time: a read of a delivery
 * overtakes those of operators, and a close overtakes all.
 *
 * The thread keeps the process alive only while reads are pending. After it
 * exits, only the running read fails, and the next read starts a new thread.
 *
 * @param names of all reads
 */
export function createReaderClient(
  data: ReaderThreadData,
  names: readonly (keyof Reads)[],
  newThread: () => Worker = startReaderThread,
): ReaderClient {
  const { file } = data;
  const queued: Record<'delivery' | 'operator', Read[]> = { delivery: [], operator: [] };
  let thread: Worker | undefined;
  let running: Read | undefined;
  let overtaking = 0;
  let closed = false;

  function start(): Worker {
    if (thread !== undefined) return thread;
    const started = newThread();
    thread = started;
    started.unref();
    started.postMessage(data, []);
    started.on('message', (reply: ReadReply) => {
      if (thread === started) receive(reply);
    });
    started.on('error', (error) => {
      abandon(
        started,
        new PortariaError('store-failed', `${file}: the reading thread failed`, { cause: error }),
      );
    });
    started.once('exit', () => {
      abandon(started, new PortariaError('store-failed', `${file}: the reading thread has exited`));
    });
    return started;
  }

  function receive(reply: ReadReply): void {
    const finished = running;
    running = undefined;
    if ('error' in reply) finished?.reject(portariaError(reply.error));
    else finished?.resolve(reply.value as never);
    // Wait a tick: the delivery may queue its next read.
    if (finished !== undefined && waiterOf(finished.name) === 'delivery') setImmediate(runNext);
    else runNext();
  }

  function abandon(which: Worker, reason: PortariaError): void {
    if (thread !== which) return;
    thread = undefined;
    running?.reject(reason);
    running = undefined;
    runNext();
  }

  function runNext(): void {
    if (closed || running !== undefined) return;
    const next = takeNext();
    if (next === undefined) thread?.unref();
    else post(next);
  }

  function takeNext(): Read | undefined {
    const { delivery, operator } = queued;
    if (delivery.length === 0 || (operator.length > 0 && overtaking >= MAX_OVERTAKING)) {
      overtaking = 0;
      return operator.shift();
    }
    overtaking = operator.length === 0 ? 0 : overtaking + 1;
    return delivery.shift();
  }

  function post(read: Read): void {
    const { name, parameters, reject } = read;
    try {
      const worker = start();
      worker.postMessage({ name, parameters } satisfies ReadRequest, []);
      worker.ref();
      running = read;
    } catch (error) {
      reject(error);
      runNext();
    }
  }

  const read = (name: keyof Reads, parameters: readonly unknown[]): Promise<never> =>
    new Promise((resolve, reject) => {
      if (closed) {
        reject(new PortariaError('stopping', `${file} is closed`));
        return;
      }
      queued[waiterOf(name)].push({ name, parameters, resolve, reject });
      runNext();
    });

  return {
    reads: Object.fromEntries(
      names.map((name) => [name, (...parameters: readonly unknown[]) => read(name, parameters)]),
    ) as unknown as Reads,
    start: () => void (closed || start()),
    ready: () =>
      // An empty read. After a failure, too: the reads that follow report it.
      read('storedBodies', [[]]).then(
        () => undefined,
        () => undefined,
      ),
    async close() {
      if (closed) return;
      closed = true;
      const pending = [...(running === undefined ? [] : [running]), ...queued.delivery, ...queued.operator];
      for (const { reject } of pending) reject(new PortariaError('stopping', `${file} is closed`));
      const exiting = thread;
      if (exiting === undefined) return;
      exiting.ref();
      const exited = new Promise((resolve) => exiting.once('exit', resolve));
      // `terminate()` is no faster: it cannot interrupt a statement of SQLite.
      exiting.postMessage('close' satisfies ReaderRequest, []);
      await exited;
    },
  };
}

function startReaderThread(): Worker {
  return new Worker(ownModule('src/store/sqlite/read/reader-thread'));
}
