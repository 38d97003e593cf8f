/** Runs the receiver until a signal, the parent's end or a fatal error. */
import { createPortaria, type Portaria } from '../../../compose.ts';
import type { Config } from '../../../config/config.ts';
import { isLoopback } from '../../../config/loopback.ts';
import type { Logger } from '../../../kernel/logger.ts';
import { printable } from '../../../kernel/text/printable.ts';
import { createLogger } from '../../../telemetry/create-logger.ts';
import { standardOutput } from '../../../telemetry/standard-output.ts';
import { commandName } from '../../command-name.ts';
import { copiedFileWarning } from '../../copied-file.ts';
import { exitCode } from '../../exit-code.ts';
import type { Session } from '../../session.ts';
import { watchStrayErrors } from '../../stray-errors.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { greeting } from './greeting.ts';

/** Two signals within this time are one request: Ctrl-C goes to the whole process group, and npm forwards it. */
const SAME_SIGNAL_MS = 150;

export interface ServeOptions {
  /** Whether the end of the parent process counts as a signal. */
  readonly stopWithParent: boolean;
  /** Whether the greeting is one line of the log: `dev` starts often, and prints the addresses itself. */
  readonly brief: boolean;
}

/** Runs the receiver. Resolves once a signal has stopped it. */
export async function serve(config: Config, session: Session, options: ServeOptions): Promise<void> {
  const { out, logDestination: destination = standardOutput() } = session.terminal;
  const format = config.log.format ?? (out.isTerminal ? 'pretty' : 'json');
  const log = await createLogger({ level: config.log.level, format, colors: out.colors, destination });
  const stopWatching = watchStrayErrors(session.terminal, log);
  try {
    await run(config, { log, print: (text) => destination.write(printable(text)) }, session, options);
  } finally {
    stopWatching();
  }
}

async function run(
  config: Config,
  { log, print }: { readonly log: Logger; readonly print: (text: string) => void },
  session: Session,
  options: ServeOptions,
): Promise<void> {
  const { terminal } = session;
  const portaria = await createPortaria({
    config,
    log,
    clock: terminal.clock,
    random: terminal.random,
    endsWhenStalled: true,
    onFatal(error) {
      log.error(
        { reason: error.message },
        'the store must not be written by this process any more; the process ends',
      );
      terminal.exit(exitCode.failed);
    },
  });
  const stopped = untilStopped(terminal, portaria, log, options);
  try {
    const addresses = await portaria.start();
    const welcome = greeting({
      config: portaria.config,
      addresses,
      portaria,
      command: commandName(terminal.env),
      now: terminal.clock.now(),
      // The terminal of a server that others can reach is often recorded: by a container or service manager.
      showSecrets: terminal.out.isTerminal && isLoopback(config.host),
      secretsInFile: (session.environment()['PORTARIA_SECRETS_FILE'] ?? '').trim() !== '',
    });
    // With JSON logs, standard output holds only JSON.
    if (config.log.format === 'json') log.info(welcome.fields, 'Portaria is ready');
    else if (options.brief) log.info({ handlers: welcome.fields['handlers'] }, 'Portaria is ready');
    // Written like a log line: a stalled reader must not delay the start.
    else print(`${welcome.text}\n`);
    const copied = await copiedFileWarning(portaria.store, portaria.config.database).catch(() => null);
    for (const warning of [...portaria.config.warnings, ...(copied === null ? [] : [copied])])
      log.warn({}, warning);
  } catch (error) {
    await portaria.stop();
    throw error;
  }
  await stopped;
}

/**
 * Resolves once a signal has stopped the receiver. The first signal lets running handlers finish, the
 * second releases their deliveries at once, and a third ends the process as it is.
 *
 * Signals are handled to the very end: after everything is closed, another one must not change the
 * exit code.
 */
function untilStopped(
  terminal: Pick<Terminal, 'onInterrupt' | 'onOrphaned' | 'clock' | 'exit'>,
  portaria: Pick<Portaria, 'stop'>,
  log: Logger,
  options: ServeOptions,
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
      log.info({}, signals === 1 ? 'stopping: running handlers may finish' : 'stopping at once');
      const stopped = portaria.stop();
      if (signals === 1) stopped.then(resolve, reject);
    };
    terminal.onInterrupt(stop);
    // The parent often ends because of the same signal; that must not count as a second one.
    if (options.stopWithParent) terminal.onOrphaned(() => signals === 0 && stop());
  });
}
