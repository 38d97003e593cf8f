/** Standard output as the destination of the log. */
import { constants, openSync, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Bytes that wait for a slow reader; further lines are dropped. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** Milliseconds after which what waits is written again. */
const RETRY_MS = 10;

/** How often the end of the process writes again. */
const LAST_TRIES = 100;

let opened: DestinationStream | undefined;

/**
 * The log of the process. A line is written at once, so it is there when a handler then blocks or ends the process. A
 * reader that stalls or leaves, or a full disk, neither keeps nor ends the process: standard error says so once.
 */
export function standardOutput(): DestinationStream {
  return (opened ??= openStandardOutput());
}

function openStandardOutput(): DestinationStream {
  const descriptor = descriptorThatNeverBlocks();
  const waiting = new Set<Buffer>();
  let waitingBytes = 0;
  /** Bytes of the first line that are written. */
  let begun = 0;
  let retry: NodeJS.Timeout | undefined;
  let hasWarned = false;

  function warn(what: string): void {
    if (hasWarned) return;
    hasWarned = true;
    try {
      writeSync(2, `warning: ${what}; the process goes on, and these lines of its log are lost\n`);
    } catch {
      // Nobody listens at all.
    }
  }

  /** Writes what waits. Returns whether the reader takes no more. */
  function isBusy(): boolean {
    try {
      for (const line of waiting) {
        while (begun < line.length) begun += writeSync(descriptor, line, begun);
        waiting.delete(line);
        waitingBytes -= line.length;
        begun = 0;
      }
      hasWarned = false;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') return true;
      warn(`standard output cannot be written: ${message}`);
      waiting.clear();
      waitingBytes = begun = 0;
    }
    return false;
  }

  function writeOrRetry(): void {
    retry = isBusy() ? setTimeout(writeOrRetry, RETRY_MS).unref() : undefined;
  }

  process.on('exit', () => {
    for (let tries = LAST_TRIES; isBusy(); tries -= 1) {
      if (tries === 0) return warn('nobody reads standard output');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  });

  return {
    write(text) {
      const line = Buffer.from(text);
      if (waitingBytes + line.length > MAX_WAITING_BYTES) return warn('nobody reads standard output');
      waiting.add(line);
      waitingBytes += line.length;
      if (retry === undefined) writeOrRetry();
    },
  };
}

/** Node.js lets writes to a terminal wait, for example after Ctrl-S. Its getter lets no write to a pipe or socket wait. */
function descriptorThatNeverBlocks(): number {
  if (!process.stdout.isTTY) return 1;
  try {
    // A description of its own: what others set for theirs has no effect on it.
    return openSync('/dev/stdout', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // A terminal of another user, or Windows.
    return 1;
  }
}
