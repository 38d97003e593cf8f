import { PassThrough, Writable } from 'node:stream';
import type { Terminal } from '../../src/cli/terminal/terminal.ts';
import type { TextOutput } from '../../src/cli/terminal/text-output.ts';
import type { Environment } from '../../src/config/read-settings.ts';
import { type Clock, systemClock } from '../../src/kernel/time/clock.ts';

export interface TerminalOptions {
  readonly env: Environment;
  readonly cwd: string;
  readonly clock: Clock;
  /** What standard input holds. */
  readonly input?: string;
  /** Whether a person can be asked, and watches both outputs. */
  readonly interactive?: boolean;
  readonly columns?: number;
}

/** A terminal in memory. */
export interface CapturedTerminal extends Terminal {
  readonly written: { out: string; err: string };
  /** Exit codes that were asked for at once. */
  readonly exits: number[];
  interrupt(): void;
  /** Ends the process that started this one. */
  orphan(): void;
  /** Resolves when either output holds the text. */
  said(text: string): Promise<void>;
}

export function capturedTerminal(options: TerminalOptions): CapturedTerminal {
  const { env, cwd, clock, interactive = false, columns = Infinity } = options;
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
        for (const look of waiting) look();
        done();
      },
    });
    return { stream, isTerminal: interactive, columns: () => columns };
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
    cwd,
    clock,
    random: () => 0.5,
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
    said(text) {
      return new Promise((resolve) => {
        const look = () => {
          if (!`${written.out}${written.err}`.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      });
    },
  };
}

/** Short waits (polls, pauses) pass at once, and move the wall by their length; long ones (time limits) are as they are. */
export function hastyClock(now: string): Clock & { wall: number } {
  const clock = {
    wall: Date.parse(now),
    now: () => clock.wall,
    monotonic: systemClock.monotonic,
    after: (ms: number, callback: () => void) =>
      ms > 1000
        ? systemClock.after(ms, callback)
        : systemClock.after(Math.min(ms, 2), () => {
            clock.wall += Math.max(0, ms);
            callback();
          }),
  };
  return clock;
}
