import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';
import type { Logger } from '../../../src/kernel/logger.ts';
import { systemClock } from '../../../src/kernel/time/system-clock.ts';
import { movableClock } from '../../movable-clock.ts';
import type { Outbox, OutboxReads } from '../outbox.ts';
import { prepareOutboxReads } from '../outbox-statements.ts';
import { runSender } from '../run-sender.ts';
import { newCounts } from '../sender-counts.ts';
import { chaosMemory } from './chaos-memory.ts';
import type { FromSender, SenderThreadData, ToSender } from './sender-messages.ts';

/**
 * For so many milliseconds results gather, and what is recorded: fewer and larger
 * transactions and readings.
 */
const GATHER_MS = 5;

/** The sending thread: reads by a connection of its own, and has the provider's write what came of it. */
async function serve(port: MessagePort, data: SenderThreadData): Promise<void> {
  const sqlite = new BetterSqlite3(data.file, { readonly: true });
  const clock = movableClock(systemClock, data.aheadMs);
  const counts = newCounts();
  const tell = (message: FromSender) => {
    port.postMessage(message);
  };
  const chaos = chaosMemory(data.chaos);
  /** Oldest first. */
  const unanswered: ((failure: Error | null) => void)[] = [];

  const outbox: Outbox = {
    ...asynchronous(prepareOutboxReads(sqlite)),
    settle: (settled, repeats) =>
      new Promise((resolve, reject) => {
        unanswered.push((failure) => {
          if (failure === null) resolve();
          else reject(failure);
        });
        tell({ type: 'settle', settled, repeats, counts });
      }),
  };

  // What comes while it starts waits in the port.
  const sender = await runSender({
    outbox,
    clock,
    machine: systemClock,
    random: Math.random,
    log: loggerBy(tell),
    counts,
    chaos: () => chaos.get(),
    gatherMs: GATHER_MS,
    onLook: () => {
      Atomics.store(data.wantsWake, 0, 1);
    },
  });

  async function stop(): Promise<void> {
    await sender.stop();
    sqlite.close();
    tell({ type: 'ended', counts });
    port.close();
  }

  port.on('message', (message: ToSender) => {
    switch (message.type) {
      case 'wake':
        sender.wake();
        break;
      case 'look around':
        sender.lookAround();
        break;
      case 'advance':
        clock.advance(message.ms);
        sender.lookAround();
        break;
      case 'settled':
        unanswered.shift()?.(message.failure);
        break;
      case 'stop':
        void stop();
        break;
    }
  });
}

/** SQLite answers at once; a reading that fails is a promise that does. */
function asynchronous(reads: OutboxReads): Omit<Outbox, 'settle'> {
  return {
    endpoints: async () => reads.endpoints(),
    newest: async () => reads.newest(),
    recordedAfter: async (id) => reads.recordedAfter(id),
    pendingAfter: async (lane, id) => reads.pendingAfter(lane, id),
    dueAside: async (lane, now) => reads.dueAside(lane, now),
    nextAside: async (lane) => reads.nextAside(lane),
    waitingAside: async () => reads.waitingAside(),
  };
}

/** Lines are written by the provider's own thread. */
function loggerBy(tell: (message: FromSender) => void): Logger {
  const log: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (fields, message) => {
      tell({ type: 'log', level: 'warn', fields, message });
    },
    error: (fields, message) => {
      tell({ type: 'log', level: 'error', fields, message });
    },
    child: () => log,
  };
  return log;
}

if (parentPort !== null) await serve(parentPort, workerData as SenderThreadData);
