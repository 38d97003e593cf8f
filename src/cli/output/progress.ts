// As a whole: of a CommonJS module Node finds only some of the names.
import progress from 'cli-progress';
import type { Terminal } from '../terminal/terminal.ts';
import { write } from '../terminal/text-output.ts';

/** Shows how far something has come, beside the answer. */
export interface Progress {
  /** @param detail more in a few words, such as `3 dead`. */
  update(done: number, total: number, detail: string): void;
  stop(): void;
}

/** Between lines, where a bar cannot be drawn. */
const LINE_EVERY_MS = 5000;

/** A bar on a terminal; elsewhere a line now and then. */
export function createProgress({ err, clock }: Pick<Terminal, 'err' | 'clock'>, name: string): Progress {
  if (err.isTerminal) return bar(err.stream, name);
  let lineAt = clock.monotonic();
  return {
    update(done, total, detail) {
      if (total === 0 || clock.monotonic() - lineAt < LINE_EVERY_MS) return;
      lineAt = clock.monotonic();
      write(err, `${name}: ${String(done)} of ${String(total)}${detail && `, ${detail}`}\n`);
    },
    stop: () => undefined,
  };
}

function bar(stream: NodeJS.WritableStream, name: string): Progress {
  const drawn = new progress.SingleBar({
    stream,
    format: `${name} [{bar}] {value}/{total} {detail} ETA {eta_formatted}`,
    // Words for "not known yet" come in place of a number of seconds.
    formatTime: (seconds: unknown, options, roundTo) =>
      typeof seconds === 'number' ? progress.Format.TimeFormat(seconds, options, roundTo) : '?',
    hideCursor: true,
    // Ctrl-C is ours to handle.
    gracefulExit: false,
  });
  return {
    update(done, total, detail) {
      // A share of nothing is no number.
      if (total === 0) return;
      if (!drawn.isActive) drawn.start(total, done, { detail });
      drawn.setTotal(total);
      drawn.update(done, { detail });
    },
    stop() {
      if (drawn.isActive) drawn.stop();
    },
  };
}
