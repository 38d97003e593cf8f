/** What Ctrl-C, SIGTERM and SIGHUP do to a command. */
import type { Terminal } from './terminal/terminal.ts';
import { exitCode } from './exit-code.ts';

/** Ctrl-C, SIGTERM and SIGHUP as an abort signal. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Stops listening. After that, Ctrl-C ends the process as usual. */
  readonly release: () => void;
}

/** The first interrupt aborts the signal; a second one ends the process at once. */
export function listenForInterrupt(terminal: Terminal): Interruption {
  const controller = new AbortController();
  const release = terminal.onInterrupt(() => {
    if (controller.signal.aborted) terminal.exit(exitCode.interrupted);
    controller.abort();
  });
  return { signal: controller.signal, release };
}
