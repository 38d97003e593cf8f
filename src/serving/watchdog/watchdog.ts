/** Watches by a thread of its own whether the main thread's event loop turns, and ends the process when it does not. */
import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { createRunningAttempts, type RunningAttempts } from '../../dispatch/attempt/running-attempts.ts';
import { failureReason } from '../../kernel/failure-reason.ts';
import { ownModule } from '../../kernel/files/package-files.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { StoreAddress } from '../../store/open-store.ts';
import type { LoggerOptions } from '../../telemetry/create-logger.ts';

/** Milliseconds between two heartbeats. A timeout is four of them, or more. */
const BEAT_MS = 250;

/** What the thread gets. */
export interface WatchdogData {
  /** See {@link signal}. */
  readonly signals: SharedArrayBuffer;
  readonly running: SharedArrayBuffer;
  readonly timeoutMs: number;
  /** The grace of a shutdown. */
  readonly graceMs: number;
  readonly store: StoreAddress;
  readonly log: Omit<LoggerOptions, 'destination'>;
}

/** The numbers that the main thread shares: its heartbeats, whether a debugger may stop it, and a shutdown's grace + 1. */
export const signal = { beats: 0, debugged: 1, grace: 2 } as const;

export interface Watchdog {
  /** What the thread reads of the attempts that run. */
  readonly running: RunningAttempts;
  start(): void;
  /** From now on, a blocked thread has this long: the process stops. */
  stopWithin(graceMs: number): void;
  end(): void;
}

export function createWatchdog(
  config: StoreAddress & Readonly<Record<'concurrency' | 'stallTimeoutMs' | 'shutdownGraceMs', number>>,
  { logging, log }: { readonly logging: WatchdogData['log']; readonly log: Logger },
): Watchdog {
  const { database, databaseDirect, stallTimeoutMs: timeoutMs, shutdownGraceMs: graceMs } = config;
  const running = createRunningAttempts(config.concurrency);
  const signals = new Int32Array(new SharedArrayBuffer(4 * Object.keys(signal).length));
  let thread: Worker | undefined;
  let beating: NodeJS.Timeout | undefined;

  function beat(): void {
    signals[signal.beats] = (signals[signal.beats] ?? 0) + 1;
    signals[signal.debugged] = inspector.url() === undefined ? 0 : 1;
  }

  return {
    running,
    start() {
      if (thread !== undefined) return;
      const shared = { signals: signals.buffer, running: running.memory };
      const store = { database, databaseDirect };
      const data: WatchdogData = { ...shared, timeoutMs, graceMs, store, log: logging };
      thread = new Worker(ownModule('src/serving/watchdog/watchdog-thread'), { workerData: data });
      thread.on('error', (error) => {
        log.error(
          { reason: failureReason(error) },
          'the watchdog has failed: nothing ends a blocked process',
        );
      });
      thread.unref();
      // At once: a debugger may stop the first handler.
      beat();
      if (inspector.url() !== undefined)
        log.warn({}, 'the inspector is open: the watchdog ends no blocked process until it is closed');
      beating = setInterval(beat, BEAT_MS).unref();
    },
    stopWithin(graceMs) {
      signals[signal.grace] = graceMs + 1;
    },
    end() {
      clearInterval(beating);
      void thread?.terminate();
    },
  };
}
