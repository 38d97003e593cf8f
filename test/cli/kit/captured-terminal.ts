import type { Random } from '../../../src/kernel/random.ts';
import { PassThrough, Writable } from 'node:stream';
import type { Terminal } from '../../../src/cli/terminal/terminal.ts';
import type { TextOutput } from '../../../src/cli/terminal/text-output.ts';
import type { Environment } from '../../../src/config/read-settings.ts';
import { type Clock, systemClock } from '../../../src/kernel/time/clock.ts';

export interface TerminalOptions {
  /** Always the middle by default. */
  readonly random?: Random;
  readonly env: Environment;
  readonly cwd: string;
  readonly clock: Clock;
  /** The content of standard input. */
  readonly input?: string;
  /** Whether input and outputs are terminals. */
  readonly interactive?: boolean;
  readonly columns?: number;
  /** Whether the outputs show colours. */
  readonly colors?: boolean;
}

/** A terminal in memory: what it printed can be read, and signals can be sent. */
export interface CapturedTerminal extends Terminal {
  readonly written: { out: string; err: string };
  /** The codes of all calls to `exit`. */
  readonly exits: number[];
  interrupt(): void;
  /** Simulates the end of the parent process. */
  orphan(): void;
  /** Resolves once either output holds the text. */
  printed(text: string): Promise<void>;
}

export function capturedTerminal(options: TerminalOptions): CapturedTerminal {
  const { env, cwd, clock, interactive = false, colors = false, columns = Infinity } = options;
  const written = { out: '', err: '' };
  const exits: number[] = [];
  const listeners = new Set<() => void>();
  const orphaned = new Set<() => void>();
  const waiting = new Set<() => void>();

  function output(name: 'out' | 'err'): TextOutput {
    const stream = new Writable({
      decodeStrings: false,
      write(chunk: string | Buffer, _encoding, done) {
        written[name] += chunk.toString();
        for (const check of waiting) check();
        done();
      },
    });
    return { stream, isTerminal: interactive, colors, columns: () => columns };
  }

  const out = output('out');
  const input = new PassThrough();
  if (!interactive || options.input !== undefined) input.end(options.input ?? '');
  return {
    out,
    err: output('err'),
    input,
    interactive,
    logDestination: out.stream,
    env,
    user: 'ana',
    cwd,
    clock,
    random: options.random ?? (() => 0.5),
    fetch,
    onInterrupt(callback) {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
    onOrphaned(callback) {
      orphaned.add(callback);
      return () => orphaned.delete(callback);
    },
    onUncaught: () => () => undefined,
    onForeignExit: () => () => undefined,
    exit: (code) => exits.push(code),
    written,
    exits,
    interrupt() {
      for (const listener of [...listeners]) listener();
    },
    orphan() {
      for (const listener of [...orphaned]) listener();
    },
    printed(text) {
      return new Promise((resolve) => {
        const check = () => {
          if (!`${written.out}${written.err}`.includes(text)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      });
    },
  };
}

/** A clock on which waits of up to a second (polls, pauses) pass at once and advance the wall time. Longer timeouts are real. */
export function fastClock(now: string): Clock & { wall: number } {
  const clock = {
    wall: Date.parse(now),
    now: () => clock.wall,
    monotonic: systemClock.monotonic,
    after: (ms: number, callback: () => void) =>
      ms > 1000
        ? systemClock.after(ms, callback)
        : systemClock.after(Math.min(ms, 2), () => {
            // As a machine's clock, in whole milliseconds.
            clock.wall += Math.ceil(Math.max(0, ms));
            callback();
          }),
  };
  return clock;
}
