import { Worker } from 'node:worker_threads';
import { PortariaError } from '../../../kernel/errors.ts';
import { ownModule } from '../../../kernel/files/package-files.ts';
import type { Reads } from './reads.ts';
import {
  portariaError,
  type ReaderRequest,
  type ReaderThreadData,
  type ReadReply,
  type ReadRequest,
} from '../commit/thread/messages.ts';

/** Reads in a thread of its own: however long one takes, webhooks do not wait for it. */
export interface ThreadReader {
  readonly reads: Reads;
  /** Starts the thread, which the first read does otherwise. */
  start(): void;
  /** Refuses what is not answered yet, and waits for the read that runs. */
  close(): Promise<void>;
}

interface Read extends ReadRequest {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Every read, so that each becomes a method, and who waits for it. */
const READS: Readonly<Record<keyof Reads, 'delivery' | 'operator'>> = {
  events: 'operator',
  event: 'operator',
  subjectTrail: 'operator',
  versionOrder: 'delivery',
  eventBefore: 'delivery',
  deliveries: 'operator',
  quarantined: 'operator',
  quarantinedDelivery: 'operator',
  droppedFromQuarantine: 'operator',
  listMachineStates: 'operator',
  anomalies: 'operator',
  sourcesOf: 'operator',
  subjectsWithKinds: 'operator',
  replay: 'operator',
  replays: 'operator',
  replayProgress: 'operator',
  storedBodies: 'delivery',
  replayEvents: 'operator',
  countReplayEvents: 'operator',
  statistics: 'operator',
  totals: 'operator',
};

/** Reads of deliveries that overtake a waiting read of an operator. */
const MAX_OVERTAKING = 20;

/**
 * Reads wait on this side, and the thread has one at a time: a read that a
 * delivery waits for overtakes the lists of operators, and a close overtakes
 * all that wait.
 *
 * The thread does not keep the process alive, except while somebody waits for
 * it. The next read starts a thread that has ended again: only the read that
 * it had is lost.
 */
export function createThreadReader(
  data: ReaderThreadData,
  newThread: () => Worker = startReaderThread,
): ThreadReader {
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
      if (thread === started) settle(reply);
    });
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
    const answered = running;
    running = undefined;
    if ('error' in reply) answered?.reject(portariaError(reply.error));
    else answered?.resolve(reply.value as never);
    // A delivery that goes on to read has its next read queued by then.
    if (answered !== undefined && READS[answered.name] === 'delivery') setImmediate(runNext);
    else runNext();
  }

  function lose(which: Worker, reason: PortariaError): void {
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
      queued[READS[name]].push({ name, parameters, resolve, reject });
      runNext();
    });

  return {
    reads: Object.fromEntries(
      Object.keys(READS).map((name) => [
        name,
        (...parameters: readonly unknown[]) => read(name as keyof Reads, parameters),
      ]),
    ) as unknown as Reads,
    start: () => void (closed || start()),
    async close() {
      if (closed) return;
      closed = true;
      const waiting = [...(running === undefined ? [] : [running]), ...queued.delivery, ...queued.operator];
      for (const { reject } of waiting) reject(new PortariaError('stopping', `${file} is closed`));
      const ending = thread;
      if (ending === undefined) return;
      ending.ref();
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      // `terminate()` would be no quicker: it cannot interrupt a statement of SQLite.
      ending.postMessage('close' satisfies ReaderRequest, []);
      await ended;
    },
  };
}

function startReaderThread(): Worker {
  return new Worker(ownModule('src/store/sqlite/read/reader-thread'));
}
