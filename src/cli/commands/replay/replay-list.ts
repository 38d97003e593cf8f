/** `portaria replay list`: lists replays and their progress. */
import type { Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { listReplays } from '../../../operate/show/list-replays.ts';
import type { ReplayView } from '../../../view/replay-view.ts';
import { addListOptions, type ListFlags } from '../../options/list-options.ts';
import { readableTime } from '../../output/format.ts';
import { limitedList } from '../../output/pages.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

const columns: readonly Column<ReplayView>[] = [
  { heading: 'replay', value: ({ id }) => id },
  { heading: 'created', value: (replay) => readableTime(replay.created_at) },
  { heading: 'status', value: ({ status }) => status },
  { heading: 'to', shrinks: true, value: ({ target, handlers }) => target ?? handlers.join(' ') },
  { heading: 'left', align: 'right', value: (replay) => replay.events_left },
  {
    heading: 'enqueued',
    align: 'right',
    value: ({ progress: { pending, running, succeeded, dead, skipped } }) =>
      pending + running + succeeded + dead + skipped,
  },
  { heading: 'waiting', align: 'right', value: ({ progress }) => progress.pending + progress.running },
  { heading: 'succeeded', align: 'right', value: ({ progress }) => progress.succeeded },
  { heading: 'dead', align: 'right', value: ({ progress }) => progress.dead },
  { heading: 'skipped', align: 'right', value: ({ progress }) => progress.skipped },
];

export function addReplayList(replay: Command, session: Session): void {
  const command = replay
    .command('list')
    .description('list replays and their progress, newest first; `replay --resume <id>` resumes one')
    .addHelpText(
      'after',
      `
LEFT counts events that are not enqueued or sent yet, WAITING enqueued calls that have not ended.
For a replay with --to, ENQUEUED, SUCCEEDED and DEAD count the events sent, delivered and failed.
`,
    );
  addListOptions(command).action(async () => {
    rejectFlagsOf(replay);
    // `replay` parses its flags before its subcommand does, so `--json` may have ended up there.
    const { json, limit } = command.optsWithGlobals<ListFlags>();
    await withStore(session, async (store) => {
      const found = limitedList(limit, (max) => listReplays(store, max));
      await writeList(session, found, {
        columns,
        json,
        empty: 'There is no replay yet; `replay --dry-run` shows what one would run.',
      });
    });
  });
}

/** Rejects the flags of `replay`, which select nothing here. @throws PortariaError `invalid-argument` */
function rejectFlagsOf(replay: Command): void {
  const given = replay.options.find((option) => {
    const name = option.attributeName();
    return name !== 'json' && replay.getOptionValueSource(name) === 'cli';
  });
  if (given !== undefined)
    throw new PortariaError('invalid-argument', `replay list does not take ${given.flags}`);
}
