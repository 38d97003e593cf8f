/** `portaria quarantine problems`: held entries by what was wrong. */
import type { Command } from 'commander';
import { problemGroupView, type ProblemGroupView } from '../../../view/failure-view.ts';
import { addListOptions, type ListFlags } from '../../options/list-options.ts';
import { readableTime } from '../../output/format.ts';
import { wholeList } from '../../output/pages.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

const columns: readonly Column<ProblemGroupView>[] = [
  { heading: 'problem', value: ({ problem }) => problem },
  { heading: 'reason', optional: true, value: ({ reason }) => reason },
  { heading: 'kind', shrinks: 'start', enough: 24, value: ({ kind }) => kind },
  { heading: 'path', value: ({ path }) => path },
  { heading: 'issue', shrinks: true, enough: 32, value: ({ message }) => message },
  { heading: 'entries', align: 'right', value: ({ entries }) => entries },
  { heading: 'last', value: (group) => readableTime(group.last_at) },
  { heading: 'sample', value: ({ sample }) => sample.id },
];

export function addQuarantineProblems(quarantine: Command, session: Session): void {
  const command = quarantine
    .command('problems')
    .description('held entries by what was wrong, the last to arrive first')
    .addHelpText(
      'after',
      '\n`quarantine release --problem <problem> --plan` shows how many of a problem match the contract now.\n',
    );
  addListOptions(command).action(async ({ limit, json }: ListFlags) => {
    await withStore(session, async (store) => {
      const rows = (await store.problemGroups()).map(problemGroupView);
      await writeList(session, wholeList(rows, limit), { columns, json, empty: 'No entry is held.' });
    });
  });
}
