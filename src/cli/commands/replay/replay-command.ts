/** `portaria replay`: delivers stored events to handlers again, or posts them to a URL. */
import type { Command } from 'commander';
import type { Session } from '../../session.ts';
import { runPlan } from '../jobs/run-plan.ts';
import { addReplayOptions, replayRequest, type ReplayFlags } from './replay-request.ts';

export function addReplay(program: Command, session: Session): void {
  const command = program
    .command('replay')
    .description('plan to run stored events again, or to post them to a URL, and start it as a job');
  addReplayOptions(command, session.terminal.clock)
    .addHelpText(
      'after',
      '\nThe order of each subject is kept. The serving process runs the job; `portaria jobs` lists, shows, cancels and\nresumes it.\n',
    )
    .action((flags: ReplayFlags) =>
      runPlan(session, (store, known) => replayRequest(session, { store, known }, flags), flags),
    );
}
