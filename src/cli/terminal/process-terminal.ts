import { systemClock } from '../../kernel/time/clock.ts';
import type { Terminal } from './terminal.ts';
import type { TextOutput } from './text-output.ts';

/** No system call reports the end of a parent on every platform, so it is polled. */
const PARENT_POLL_MS = 250;

/** The process's own streams, signals and clock. */
export function processTerminal(): Terminal {
  let isLeaving = false;
  return {
    out: output(process.stdout),
    err: output(process.stderr),
    input: process.stdin,
    interactive: process.stdin.isTTY && process.stderr.isTTY,
    logDestination: undefined,
    env: process.env,
    cwd: process.cwd(),
    clock: systemClock,
    random: Math.random,
    fetch,
    onInterrupt(callback) {
      process.on('SIGINT', callback).on('SIGTERM', callback);
      return () => process.off('SIGINT', callback).off('SIGTERM', callback);
    },
    onOrphaned(callback) {
      const parent = process.ppid;
      const timer = setInterval(() => {
        if (process.ppid !== parent) end();
      }, PARENT_POLL_MS).unref();
      const release = (): void => {
        clearInterval(timer);
        process.off('SIGHUP', end);
      };
      const end = (): void => {
        release();
        // A second hangup must not end what is stopping.
        process.on('SIGHUP', () => undefined);
        callback();
      };
      process.on('SIGHUP', end);
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
        // Called within `process.exit`, so whoever called that is on the stack.
        if (!isLeaving) process.exitCode = callback(code, new Error('exit').stack ?? '');
      };
      process.on('exit', onExit);
      return () => process.off('exit', onExit);
    },
    exit(code) {
      isLeaving = true;
      process.exit(code);
    },
  };
}

/** Resolves when the streams hold nothing any more: pipes are written behind our back. */
export async function flushed(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map(
      (stream) => new Promise<void>((resolve) => stream.write('', () => resolve())),
    ),
  );
}

function output(stream: NodeJS.WriteStream): TextOutput {
  // A closed pipe is reported to the writer; unheard, the same error would end the process.
  stream.on('error', () => undefined);
  return {
    stream,
    isTerminal: stream.isTTY,
    columns: () => (stream.isTTY ? stream.columns : Infinity),
  };
}
