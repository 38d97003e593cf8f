/** `portaria failures`: failed deliveries by handler and kind of error. */
import type { Command } from 'commander';
import { failureGroupView, type FailureGroupView } from '../../view/failure-view.ts';
import { requireHandler } from '../known-handlers.ts';
import { deliveryFilter } from '../../view/parameters/conditions.ts';
import { addCompanyOption, lookedUp } from '../options/company-option.ts';
import { addListOptions, unmaskOption, type ListFlags } from '../options/list-options.ts';
import { readableTime } from '../output/format.ts';
import { wholeList } from '../output/pages.ts';
import type { Column } from '../output/table.ts';
import { writeList } from '../output/write-list.ts';
import type { Session } from '../session.ts';
import { withStore } from '../with-store.ts';

const columns: readonly Column<FailureGroupView>[] = [
  { heading: 'handler', value: ({ handler }) => handler },
  { heading: 'kind of error', shrinks: true, enough: 32, value: (group) => group.kind_of_error },
  { heading: 'error', value: ({ error }) => error },
  {
    heading: 'dead',
    align: 'right',
    value: ({ dead }) => dead,
    tone: ({ dead }) => (dead > 0 ? 'alarm' : null),
  },
  { heading: 'tried again', align: 'right', value: ({ failing }) => failing },
  { heading: 'first', optional: true, value: (group) => readableTime(group.first_at) },
  { heading: 'last', value: (group) => readableTime(group.last_at) },
  { heading: 'sample', value: ({ sample }) => sample.id },
];

interface FailureFlags extends ListFlags {
  readonly handler?: string;
  readonly company?: string;
  readonly unmask: boolean;
}

export function addFailures(program: Command, session: Session): void {
  const command = program
    .command('failures')
    .description('failed deliveries by handler and kind of error, the last to fail first')
    .option('--handler <name>', 'of this handler, machine or <machine>/effects')
    .addOption(unmaskOption())
    .addHelpText(
      'after',
      `
ERROR names the kind: \`deliveries list --error <error>\` lists its deliveries, and
\`deliveries retry --error <error> --plan\` shows what a retry of them would do.
TRIED AGAIN counts deliveries that failed and will be tried again, 1,000 at most.
`,
    );
  addListOptions(addCompanyOption(command)).action(async (flags: FailureFlags) => {
    const { handler, company, unmask, limit, json } = flags;
    await withStore(session, async (store, config) => {
      await requireHandler(store, config, handler);
      const filter = await lookedUp(session, store, deliveryFilter({ handler, company }));
      const groups = await store.failureGroups(filter);
      const rows = groups.map((group) => failureGroupView(group, { unmask }));
      const empty = `No delivery${company === undefined ? '' : ` of company ${company}`} has failed.`;
      await writeList(session, wholeList(rows, limit), { columns, json, empty });
    });
  });
}
