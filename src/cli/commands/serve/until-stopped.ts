import type { Portaria } from '../../../compose.ts';
import type { Logger } from '../../../kernel/logger.ts';
import { exitCode } from '../../exit-code.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** A terminal sends Ctrl-C to the whole process group, and npm hands it on: two signals, one wish. */
const SAME_SIGNAL_MS = 150;

export interface StopOptions {
  /** Whether the end of the process that started this one counts as a signal. */
  readonly stopWithParent: boolean;
}

/**
 * Resolves once a signal has stopped everything. The first signal lets running
 * handlers finish, the second hands them back at once, a third ends the
 * process as it is: the next start finds what was unfinished.
 *
 * Signals are heard to the very end: one that comes when all is closed must not
 * make a clean end look like a violent one.
 */
export function untilStopped(
  terminal: Pick<Terminal, 'onInterrupt' | 'onOrphaned' | 'clock' | 'exit'>,
  portaria: Pick<Portaria, 'stop'>,
  log: Logger,
  options: StopOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let signals = 0;
    let lastAt = -Infinity;
    const stop = (): void => {
      const at = terminal.clock.monotonic();
      const isSame = at - lastAt < SAME_SIGNAL_MS;
      lastAt = at;
      if (isSame) return;
      signals += 1;
      if (signals > 2) {
        terminal.exit(exitCode.interrupted);
        return;
      }
      log.info({}, signals === 1 ? 'Stopping: running handlers may finish' : 'Stopping at once');
      const stopped = portaria.stop();
      if (signals === 1) stopped.then(resolve, reject);
    };
    terminal.onInterrupt(stop);
    // A parent that ends after a signal is no second signal.
    if (options.stopWithParent) terminal.onOrphaned(() => signals === 0 && stop());
  });
}
