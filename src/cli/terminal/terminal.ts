import type { Environment } from '../../config/read-settings.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { Random } from '../../kernel/random.ts';
import type { TextOutput } from './text-output.ts';

/** Everything a command touches outside Portaria. Tests hand in another. */
export interface Terminal {
  readonly out: TextOutput;
  readonly err: TextOutput;
  readonly input: NodeJS.ReadableStream;
  /** Where log lines go; undefined: straight to the process's own standard output. */
  readonly logDestination: NodeJS.WritableStream | undefined;
  /** Whether a person can be asked something. */
  readonly interactive: boolean;
  readonly env: Environment;
  /** What relative paths are relative to. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly fetch: typeof fetch;
  /**
   * Calls back at each Ctrl-C or SIGTERM, which then no longer end the process
   * by themselves. Returns how to stop listening.
   */
  onInterrupt(callback: () => void): () => void;
  /**
   * Calls back once when the process that started this one has ended, or the terminal was closed. Windows does
   * not tell of the former.
   * Returns how to stop listening.
   */
  onOrphaned(callback: () => void): () => void;
  /**
   * Calls back with what nobody caught, which then no longer ends the process.
   * Returns how to stop listening.
   */
  onUncaught(callback: (thrown: unknown, how: 'exception' | 'rejection') => void): () => void;
  /**
   * Calls back when something other than `exit` below ends the process, with the
   * code it asked for and the stack of its call. The process ends with what the
   * callback returns. Returns how to stop listening.
   */
  onForeignExit(callback: (code: number, stack: string) => number): () => void;
  /** Ends the process at once: the second Ctrl-C. */
  exit(code: number): void;
}
