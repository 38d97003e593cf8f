import type { Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { listReplays } from '../../../operate/list-replays.ts';
import type { ReplayView } from '../../../view/replay-view.ts';
import { addListOptions, type ListFlags } from '../../options/list-options.ts';
import { wholeList } from '../../output/pages.ts';
import { readableTime } from '../../output/readable-time.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

const columns: readonly Column<ReplayView>[] = [
  { heading: 'replay', value: ({ id }) => id },
  { heading: 'created', value: (replay) => readableTime(replay.created_at) },
  { heading: 'status', value: ({ status }) => status },
  { heading: 'to', shrinks: true, value: ({ target, handlers }) => target ?? handlers.join(' ') },
  { heading: 'pending', align: 'right', value: ({ progress }) => progress.pending + progress.running },
  { heading: 'succeeded', align: 'right', value: ({ progress }) => progress.succeeded },
  { heading: 'dead', align: 'right', value: ({ progress }) => progress.dead },
  { heading: 'skipped', align: 'right', value: ({ progress }) => progress.skipped },
];

/** More than any store holds, for `--limit all`. */
const EVERY_ONE = 2 ** 31;

export function addReplayList(replay: Command, session: Session): void {
  const command = replay
    .command('list')
    .description('replays so far, the newest first, and how far they are; --resume goes on with one');
  addListOptions(command).action(async () => {
    refuseFlagsOf(replay);
    // The flags of `replay` are read first, and `--json` is one of them.
    const { json, limit } = command.optsWithGlobals<ListFlags>();
    await withStore(session, async (store) => {
      const most = limit === 'all' ? EVERY_ONE : limit;
      // One more than shown tells whether there is more.
      const found = await listReplays(store, most + 1);
      await writeList(session, wholeList(found, most), { columns, json, empty: 'There was no replay yet.' });
    });
  });
}

/** What chooses events has nothing to choose here. @throws PortariaError `invalid-argument` */
function refuseFlagsOf(replay: Command): void {
  const given = replay.options.find((option) => {
    const name = option.attributeName();
    return name !== 'json' && replay.getOptionValueSource(name) === 'cli';
  });
  if (given !== undefined)
    throw new PortariaError('invalid-argument', `replay list does not take ${given.flags}`);
}
