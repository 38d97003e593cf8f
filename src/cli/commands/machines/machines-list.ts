import type { Command } from 'commander';
import type { Subject } from '../../../event/subject.ts';
import { machineView, type MachineView } from '../../../view/machine-view.ts';
import { addListOptions, type ListFlags } from '../../options/list-options.ts';
import { parseSubject } from '../../options/subject.ts';
import { wholeList } from '../../output/pages.ts';
import { readableTime } from '../../output/readable-time.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

interface MachineFlags extends ListFlags {
  readonly machine?: string;
  readonly subject?: Subject;
  readonly source?: string;
  readonly anomalous?: true;
}

const columns: readonly Column<MachineView>[] = [
  { heading: 'updated', value: (state) => readableTime(state.updated_at) },
  { heading: 'machine', value: (state) => state.machine },
  { heading: 'subject', shrinks: true, value: (state) => state.subject },
  { heading: 'source', shrinks: true, optional: true, value: (state) => state.source },
  { heading: 'last event', value: (state) => state.last_event_id },
  { heading: 'version', shrinks: true, optional: true, value: (state) => state.version },
  { heading: 'revision', align: 'right', value: (state) => state.revision },
  { heading: 'anomalies', align: 'right', value: (state) => state.anomalies },
];

/** More than any store holds, for `--limit all`. */
const EVERY_ONE = 2 ** 31;

export function addMachinesList(machines: Command, session: Session): void {
  const command = machines
    .command('list')
    .description('what machines know of which subjects')
    .option('--machine <name>', 'of this machine')
    .option('--subject <family:id>', 'of this subject', parseSubject)
    .option('--source <name>', 'of subjects from this source')
    .option('--anomalous', 'only those with impossible moves');
  addListOptions(command).action(async ({ json, limit, ...filter }: MachineFlags) => {
    await withStore(session, async (store) => {
      const most = limit === 'all' ? EVERY_ONE : limit;
      // One more than shown tells whether there is more.
      const found = await store.listMachineStates({ ...filter, limit: most + 1 });
      await writeList(session, wholeList(found.map(machineView), most), {
        columns,
        json,
        empty: 'No machine knows anything that matches.',
      });
    });
  });
}
