import type { Terminal } from './terminal/terminal.ts';
import { exitCode } from './exit-code.ts';

/** Ctrl-C and SIGTERM as a signal that work can heed. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Stops listening: from then on Ctrl-C ends the process by itself again. */
  readonly release: () => void;
}

/** The first interrupt aborts the signal; a second ends the process at once. */
export function listenForInterrupt(terminal: Terminal): Interruption {
  const controller = new AbortController();
  const release = terminal.onInterrupt(() => {
    if (controller.signal.aborted) terminal.exit(exitCode.interrupted);
    controller.abort();
  });
  return { signal: controller.signal, release };
}
