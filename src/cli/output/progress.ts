/** The progress of long commands, as a bar or as lines. */
// The default import: Node finds only some of the named exports of this CommonJS module.
import progress from 'cli-progress';
import type { Terminal } from '../terminal/terminal.ts';
import { write } from '../terminal/text-output.ts';

/** Shows on standard error how far a long command has got. */
export interface Progress {
  /** @param detail a few more words, for example `3 dead`. */
  update(done: number, total: number, detail: string): void;
  stop(): void;
}

/** Milliseconds between lines where a bar cannot be drawn. */
const LINE_INTERVAL_MS = 5000;

/** A bar on a terminal; elsewhere a line every few seconds. */
export function createProgress({ err, clock }: Pick<Terminal, 'err' | 'clock'>, name: string): Progress {
  if (err.isTerminal) return createBar(err.stream, name);
  let lastLineAt = clock.monotonic();
  return {
    update(done, total, detail) {
      if (total === 0 || clock.monotonic() - lastLineAt < LINE_INTERVAL_MS) return;
      lastLineAt = clock.monotonic();
      write(err, `${name}: ${String(done)} of ${String(total)}${detail && `, ${detail}`}\n`);
    },
    stop: () => undefined,
  };
}

function createBar(stream: NodeJS.WritableStream, name: string): Progress {
  const bar = new progress.SingleBar({
    stream,
    format: `${name} [{bar}] {value}/{total} {detail} ETA {eta_formatted}`,
    // The library passes a string such as "INF" or "NULL" while the time is unknown.
    formatTime: (seconds: unknown, options, roundTo) =>
      typeof seconds === 'number' ? progress.Format.TimeFormat(seconds, options, roundTo) : '?',
    hideCursor: true,
    // Portaria handles Ctrl-C itself.
    gracefulExit: false,
  });
  return {
    update(done, total, detail) {
      // A bar of 0 of 0 would show NaN.
      if (total === 0) return;
      if (!bar.isActive) bar.start(total, done, { detail });
      bar.setTotal(total);
      bar.update(done, { detail });
    },
    stop() {
      if (bar.isActive) bar.stop();
    },
  };
}
