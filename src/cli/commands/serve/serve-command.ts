/** `portaria serve`: receives webhooks and runs handlers until it is stopped. */
import { Option, type Command } from 'commander';
import { prewarmWriterThread } from '../../../store/sqlite/commit/thread/prewarmed-writer.ts';
import { isPostgresAddress } from '../../../kernel/postgres-address.ts';
import type { Session } from '../../session.ts';
import type { ServeOptions } from './serve.ts';

export function addServe(program: Command, session: Session): void {
  program
    .command('serve')
    .description('receive webhooks, run handlers, and serve the API and metrics for operators')
    .option('--stop-with-parent', 'stop when the parent process ends (not on Windows)', false)
    .addOption(new Option('--brief', 'greet by a line of the log').default(false).hideHelp())
    .addHelpText('after', epilogue)
    .action(async (options: ServeOptions) => {
      const config = session.configWithApi();
      // The writer thread loads its modules while this thread loads the receiver.
      if (config.database !== ':memory:' && !isPostgresAddress(config.database)) prewarmWriterThread();
      const { serve } = await import('./serve.ts');
      await serve(config, session, options);
    });
}

const epilogue = `
Settings are environment variables; the most used are:
  PORTARIA_HOST, PORTARIA_PORT          the address that webhooks are posted to
  PORTARIA_OPS_HOST, PORTARIA_OPS_PORT  the address for operators: API, metrics, health
  PORTARIA_DATABASE                     the SQLite file, or postgres://…
  PORTARIA_VERIFY, PORTARIA_SECRETS     how senders are verified
  PORTARIA_HANDLERS                     the folder of handlers and machines

Ctrl-C, SIGTERM or SIGHUP stops it: running handlers may finish. A second signal releases their
deliveries at once, a third ends the process. No accepted event is lost; the next start delivers what is left.
`;
