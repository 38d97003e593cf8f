/** The terminal, signals and parent of this process. */
import { userInfo } from 'node:os';
import { patientFetch } from '../../kernel/http/patient-fetch.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { createFollowingClock } from '../../kernel/time/following-clock.ts';
import { BLOCKED } from '../../serving/watchdog/stall-clock.ts';
import type { Terminal } from './terminal.ts';
import type { TextOutput } from './text-output.ts';

/** Ctrl-C, the end asked for, and a terminal that is closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The parent process is polled: no system call reports its end on every platform. */
const PARENT_POLL_MS = 250;

/** The terminal of this process: its streams, signals, environment and clock. */
export function processTerminal(): Terminal {
  let isLeaving = false;
  return {
    out: output(process.stdout),
    err: output(process.stderr),
    input: process.stdin,
    interactive: process.stdin.isTTY && process.stderr.isTTY,
    logDestination: undefined,
    env: process.env,
    user: userName(),
    cwd: process.cwd(),
    clock: createFollowingClock(systemClock),
    random: Math.random,
    fetch: patientFetch,
    onInterrupt(callback) {
      const release = (): void => {
        for (const signal of SIGNALS) process.off(signal, callback);
      };
      // Listens once only, however often the watchdog asks within one block.
      const listen = (): void => {
        release();
        for (const signal of SIGNALS) process.on(signal, callback);
      };
      // Signals reach no listener of a blocked thread. Without one, they end the process.
      process.on(BLOCKED, () => {
        release();
        setImmediate(listen);
      });
      listen();
      return release;
    },
    onOrphaned(callback) {
      const parent = process.ppid;
      const timer = setInterval(() => {
        if (process.ppid === parent) return;
        release();
        callback();
      }, PARENT_POLL_MS).unref();
      const release = (): void => clearInterval(timer);
      return release;
    },
    onUncaught(callback) {
      const onException = (thrown: unknown): void => callback(thrown, 'exception');
      const onRejection = (thrown: unknown): void => callback(thrown, 'rejection');
      process.on('uncaughtException', onException).on('unhandledRejection', onRejection);
      return () => process.off('uncaughtException', onException).off('unhandledRejection', onRejection);
    },
    onForeignExit(callback) {
      const onExit = (code: number): void => {
        // This listener runs inside `process.exit`, so its caller is on the stack.
        if (!isLeaving) process.exitCode = callback(code, new Error('exit').stack ?? '');
      };
      // Before the listener of the log, which writes out what is left: the last line, too.
      process.prependListener('exit', onExit);
      return () => process.off('exit', onExit);
    },
    exit(code) {
      isLeaving = true;
      process.exit(code);
    },
  };
}

/** Resolves when standard output and error are written out. Node writes to pipes asynchronously. */
export async function flushed(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map(
      (stream) => new Promise<void>((resolve) => stream.write('', () => resolve())),
    ),
  );
}

/** A container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${String(process.getuid?.() ?? 'unknown')}`;
  }
}

function output(stream: NodeJS.WriteStream): TextOutput {
  // The write callback reports a closed pipe. Without a listener, the same error would end the process.
  stream.on('error', () => undefined);
  return {
    stream,
    isTerminal: stream.isTTY,
    // Node heeds NO_COLOR, FORCE_COLOR and TERM here.
    colors: stream.isTTY && stream.hasColors(),
    columns: () => (stream.isTTY ? stream.columns : Infinity),
  };
}
