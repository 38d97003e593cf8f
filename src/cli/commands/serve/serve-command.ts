import type { Command } from 'commander';
import { prewarmWriterThread } from '../../../store/sqlite/commit/thread/prewarmed-writer.ts';
import type { Session } from '../../session.ts';
import type { StopOptions } from './until-stopped.ts';

export function addServe(program: Command, session: Session): void {
  program
    .command('serve')
    .description('receive webhooks, run handlers, and answer operators on the private port')
    .option('--stop-with-parent', 'stop when the process that started this one ends; not on Windows', false)
    .action(async (options: StopOptions) => {
      const config = session.config();
      // Two loads at once: what commits, in a thread of its own, and all else.
      if (config.database !== ':memory:') prewarmWriterThread();
      const { serve } = await import('./serve.ts');
      await serve(config, session, options);
    });
}
