/** Standard output as the destination of the log. */
import { writeSync } from 'node:fs';
import { pino, type DestinationStream } from 'pino';

/** Bytes that wait for a slow reader; further lines are dropped. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** How often the end of the process tries to write what waits, a tenth of a second apart. */
const LAST_TRIES = 10;

/** A reader that stalls or leaves, or a full disk, neither keeps nor ends the process: standard error says so once. */
export function standardOutput(): DestinationStream {
  let tries = Infinity;
  let isToldOf = false;
  const tell = (what: string): void => {
    if (isToldOf) return;
    isToldOf = true;
    try {
      writeSync(2, `warning: ${what}; the process goes on, and these lines of its log are lost\n`);
    } catch {
      // Nobody listens at all.
    }
  };
  const stream = pino.destination({
    dest: 1,
    sync: false,
    maxLength: MAX_WAITING_BYTES,
    retryEAGAIN: () => (tries -= 1) >= 0,
  });
  stream.on('drop', () => tell('nobody reads standard output'));
  stream.on('error', ({ message }: Error) => tell(`standard output cannot be written: ${message}`));
  const flush = stream.flushSync.bind(stream);
  // pino calls it when the process ends. Without limits it would try for ever.
  stream.flushSync = () => {
    tries = LAST_TRIES;
    try {
      if (!isToldOf) flush();
    } catch {
      tell('nobody reads standard output');
    }
  };
  return stream;
}
