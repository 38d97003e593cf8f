import { Worker } from 'node:worker_threads';
import type { Logger } from '../../../src/kernel/logger.ts';
import { ownModule } from '../../../src/kernel/files/own-files.ts';
import type { Provider } from '../../provider.ts';
import { prepareOutboxWrites } from '../outbox-statements.ts';
import { GRACE_MS } from '../run-sender.ts';
import type { Chaos } from '../send-delivery.ts';
import { newCounts, type SenderCounts } from '../sender-counts.ts';
import type { WebhookSender } from '../webhook-sender.ts';
import { chaosMemory } from './chaos-memory.ts';
import type { FromSender, SenderThreadData, ToSender } from './sender-messages.ts';

/** Milliseconds after which another thread takes the place of one that ended by itself. */
const RESTART_PAUSE_MS = 1_000;
/** Milliseconds that the thread has to end beside those for what is on its way. */
const MAX_TO_END_MS = 3_000;

/**
 * Sends in a thread of its own, which reads by a connection of its own. What came
 * of it is written here, in turn with transactions: a second writer would have
 * both wait for each other's locks, this one with everybody's requests.
 */
export function startThreadSender(
  provider: Provider,
  { log, chaos: first }: { readonly log: Logger; readonly chaos: Chaos },
): WebhookSender {
  const { sqlite, query, clock, machine } = provider;
  const write = prepareOutboxWrites(sqlite);
  const wantsWake = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const chaos = chaosMemory();
  chaos.set(first);
  let counts = newCounts();
  /** Of threads that ended. */
  let countsBefore = newCounts();
  let isStopping = false;
  let cancelRestart = () => {};
  /** Resolves when the thread of the moment has ended. */
  let ended: Promise<void>;
  let thread = start();

  function start(): Worker {
    const data: SenderThreadData = {
      file: sqlite.name,
      chaos: chaos.memory,
      aheadMs: clock.ahead,
      wantsWake,
    };
    const started = new Worker(ownModule('provider/webhooks/thread/sender-thread'), {
      workerData: data,
    });
    started.on('message', (message: FromSender) => {
      receive(started, message);
    });
    started.on('error', (error) => {
      log.error({ err: error }, 'The thread that sends webhooks failed');
    });
    ended = new Promise((resolve) => {
      started.once('exit', () => {
        resolve();
      });
    });
    started.once('exit', () => {
      countsBefore = counts;
      if (isStopping) return;
      log.error({}, 'The thread that sends webhooks has ended; another is started');
      cancelRestart = machine.after(RESTART_PAUSE_MS, () => {
        thread = start();
      });
    });
    return started;
  }

  function receive(from: Worker, message: FromSender): void {
    if (message.type === 'log') {
      log[message.level](message.fields, message.message);
      return;
    }
    counts = sum(countsBefore, message.counts);
    if (message.type === 'settle') void settle(from, message);
  }

  async function settle(
    from: Worker,
    { settled, repeats }: Extract<FromSender, { type: 'settle' }>,
  ): Promise<void> {
    let failure: Error | null = null;
    try {
      await query.connection().execute(async () => {
        write(settled, repeats);
      });
    } catch (error) {
      // Of a native error its text is what is read; the rest may not be cloneable.
      failure = new Error(String(error));
    }
    post(from, { type: 'settled', failure });
  }

  function post(to: Worker, message: ToSender): void {
    // Copied: nothing is handed over.
    to.postMessage(message, []);
  }

  const forget = [
    provider.onCommit((touched) => {
      if (touched.has('webhooks') && Atomics.exchange(wantsWake, 0, 0) === 1) post(thread, { type: 'wake' });
      if (touched.has('webhooks aside')) post(thread, { type: 'look around' });
    }),
    provider.onAdvance((ms) => {
      post(thread, { type: 'advance', ms });
    }),
  ];

  return {
    get counts() {
      return counts;
    },
    chaos: () => chaos.get(),
    setChaos(next) {
      chaos.set(next);
    },
    wake() {
      post(thread, { type: 'look around' });
    },
    async stop() {
      for (const each of forget) each();
      isStopping = true;
      cancelRestart();
      post(thread, { type: 'stop' });
      const cancelLimit = machine.after(GRACE_MS + MAX_TO_END_MS, () => {
        log.error({}, 'The thread that sends webhooks did not end, and is ended');
        void thread.terminate();
      });
      await ended;
      cancelLimit();
    },
  };
}

function sum(one: SenderCounts, other: SenderCounts): SenderCounts {
  const total = { ...one };
  for (const name of Object.keys(other) as (keyof SenderCounts)[]) total[name] += other[name];
  return total;
}
