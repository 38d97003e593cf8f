/** The interface between commands and their process: streams, environment, clock and signals. */
import type { Environment } from '../../config/read-settings.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { Random } from '../../kernel/random.ts';
import type { TextOutput } from './text-output.ts';

/** Everything outside Portaria that commands use. Tests replace it. */
export interface Terminal {
  readonly out: TextOutput;
  readonly err: TextOutput;
  readonly input: NodeJS.ReadableStream;
  /** Where log lines go. Undefined: to the standard output of the process. */
  readonly logDestination: NodeJS.WritableStream | undefined;
  /** Whether a person can answer a question. */
  readonly interactive: boolean;
  readonly env: Environment;
  /** Who runs the program, for records of what operators do. */
  readonly user: string;
  /** The folder that relative paths start from. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly fetch: typeof fetch;
  /**
   * Calls back at each Ctrl-C, SIGTERM or SIGHUP (a closed terminal), which then no longer ends the process.
   *
   * @returns a function that stops listening.
   */
  onInterrupt(callback: () => void): () => void;
  /**
   * Calls back once when the parent process ends. Windows does not report it.
   *
   * @returns a function that stops listening.
   */
  onOrphaned(callback: () => void): () => void;
  /**
   * Calls back with each uncaught exception and unhandled rejection, which then no longer ends the process.
   *
   * @returns a function that stops listening.
   */
  onUncaught(callback: (thrown: unknown, how: 'exception' | 'rejection') => void): () => void;
  /**
   * Calls back when code other than `exit` below calls `process.exit`, with the code and the stack of
   * that call. The process ends with the code that the callback returns.
   *
   * @returns a function that stops listening.
   */
  onForeignExit(callback: (code: number, stack: string) => number): () => void;
  /** Ends the process at once, for example at the second Ctrl-C. */
  exit(code: number): void;
}
