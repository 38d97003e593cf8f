import { createPortaria } from '../../../compose.ts';
import type { Config } from '../../../config/config.ts';
import { isLoopback } from '../../../config/loopback.ts';
import type { Logger } from '../../../kernel/logger.ts';
import { createLogger } from '../../../telemetry/create-logger.ts';
import { exitCode } from '../../exit-code.ts';
import type { Session } from '../../session.ts';
import { watchStrayErrors } from '../../stray-errors.ts';
import { greeting } from './greeting.ts';
import { untilStopped, type StopOptions } from './until-stopped.ts';

/** Resolves once a signal has stopped everything. */
export async function serve(config: Config, session: Session, options: StopOptions): Promise<void> {
  const log = await createServeLogger(config, session);
  const stopWatching = watchStrayErrors(session.terminal, log);
  try {
    await receive(config, log, session, options);
  } finally {
    stopWatching();
  }
}

async function receive(config: Config, log: Logger, session: Session, options: StopOptions): Promise<void> {
  const { terminal } = session;
  const portaria = await createPortaria({
    config,
    log,
    clock: terminal.clock,
    random: terminal.random,
    onFatal(error) {
      log.error({ reason: error.message }, 'The disk can no longer be trusted; the process ends');
      terminal.exit(exitCode.failed);
    },
  });
  const stopped = untilStopped(terminal, portaria, log, options);
  try {
    const addresses = await portaria.start();
    const welcome = greeting({
      config,
      addresses,
      portaria,
      // A terminal beside a reachable port is often a recorded one: a container's, a service manager's.
      showSecrets: terminal.out.isTerminal && isLoopback(config.host),
      secretsInFile: (session.environment()['PORTARIA_SECRETS_FILE'] ?? '').trim() !== '',
    });
    // Whoever asked for JSON gets nothing else.
    if (config.log.format === 'json') log.info(welcome.fields, 'Portaria is ready');
    else await session.print(welcome.text);
    for (const warning of config.warnings) log.warn({}, warning);
  } catch (error) {
    await portaria.stop();
    throw error;
  }
  await stopped;
}

function createServeLogger(config: Config, { terminal }: Session): Promise<Logger> {
  const destination = terminal.logDestination;
  return createLogger({
    level: config.log.level,
    format: config.log.format ?? (terminal.out.isTerminal ? 'pretty' : 'json'),
    isTerminal: terminal.out.isTerminal,
    ...(destination && { destination }),
  });
}
