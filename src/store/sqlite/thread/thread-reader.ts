import { Worker } from 'node:worker_threads';
import { PortariaError } from '../../../kernel/errors.ts';
import { ownModule } from '../../../kernel/own-files.ts';
import type { Reads } from '../reads.ts';
import {
  portariaError,
  type ReaderRequest,
  type ReaderThreadData,
  type ReadReply,
  type ReadRequest,
} from './messages.ts';

/** Reads in a thread of its own: however long one takes, webhooks do not wait for it. */
export interface ThreadReader {
  readonly reads: Reads;
  /** Starts the thread, which the first read does otherwise. */
  start(): void;
  /** Refuses what is not answered yet. */
  close(): Promise<void>;
}

interface Call {
  readonly resolve: (value: never) => void;
  readonly reject: (error: PortariaError) => void;
}

/** Every read, so that each becomes a method. */
const NAMES: Readonly<Record<keyof Reads, true>> = {
  events: true,
  event: true,
  subjectTrail: true,
  versionOrder: true,
  eventBefore: true,
  deliveries: true,
  quarantined: true,
  quarantinedDelivery: true,
  droppedFromQuarantine: true,
  listMachineStates: true,
  anomalies: true,
  sourcesOf: true,
  subjectsWithKinds: true,
  replay: true,
  replays: true,
  replayProgress: true,
  storedBodies: true,
  replayEvents: true,
  countReplayEvents: true,
  statistics: true,
  totals: true,
};

/**
 * The thread does not keep the process alive, except while somebody waits for
 * it. One that ends by itself is started again by the next read: nothing but
 * answers is lost with it.
 */
export function createThreadReader(
  data: ReaderThreadData,
  newThread: () => Worker = startReaderThread,
): ThreadReader {
  const { file } = data;
  let thread: Worker | undefined;
  let waiting = new Map<number, Call>();
  let asked = 0;
  let closed = false;

  function start(): Worker {
    if (thread !== undefined) return thread;
    const started = newThread();
    thread = started;
    started.unref();
    started.postMessage(data, []);
    started.on('message', settle);
    started.on('error', (error) => {
      lose(
        started,
        new PortariaError('store-failed', `${file}: the thread that reads it failed`, { cause: error }),
      );
    });
    started.once('exit', () => {
      lose(started, new PortariaError('store-failed', `${file}: the thread that reads it has ended`));
    });
    return started;
  }

  function settle(reply: ReadReply): void {
    const call = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (waiting.size === 0) thread?.unref();
    if ('error' in reply) call?.reject(portariaError(reply.error));
    else call?.resolve(reply.value as never);
  }

  function lose(which: Worker, reason: PortariaError): void {
    if (thread !== which) return;
    thread = undefined;
    rejectAll(reason);
  }

  function rejectAll(reason: PortariaError): void {
    const calls = waiting;
    waiting = new Map();
    for (const { reject } of calls.values()) reject(reason);
  }

  const read = (name: keyof Reads, parameters: readonly unknown[]): Promise<never> =>
    new Promise((resolve, reject) => {
      if (closed) {
        reject(new PortariaError('stopping', `${file} is closed`));
        return;
      }
      const worker = start();
      if (waiting.size === 0) worker.ref();
      asked += 1;
      waiting.set(asked, { resolve, reject });
      worker.postMessage({ id: asked, name, parameters } satisfies ReadRequest, []);
    });

  return {
    reads: Object.fromEntries(
      Object.keys(NAMES).map((name) => [
        name,
        (...parameters: readonly unknown[]) => read(name as keyof Reads, parameters),
      ]),
    ) as unknown as Reads,
    start: () => void (closed || start()),
    async close() {
      if (closed) return;
      closed = true;
      const ending = thread;
      if (ending === undefined) return;
      rejectAll(new PortariaError('stopping', `${file} is closed`));
      ending.ref();
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      ending.postMessage('close' satisfies ReaderRequest, []);
      await ended;
    },
  };
}

function startReaderThread(): Worker {
  return new Worker(ownModule('store/sqlite/thread/reader-thread'));
}
