import { Option, type Command } from 'commander';
import type { QuarantineStatus } from '../../../store/queries.ts';
import { quarantineView, type QuarantineView } from '../../../view/quarantine-view.ts';
import { addListOptions, type ListFlags } from '../../options/list-options.ts';
import {
  addQuarantineFilterOptions,
  quarantineFilter,
  type QuarantineFilterFlags,
} from '../../options/quarantine-filter-options.ts';
import { pages, viewed } from '../../output/pages.ts';
import { readableTime } from '../../output/readable-time.ts';
import type { Column } from '../../output/table.ts';
import { droppedText } from '../../output/statistics-text.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

const columns: readonly Column<QuarantineView>[] = [
  { heading: 'received', value: (entry) => readableTime(entry.received_at) },
  { heading: 'id', value: (entry) => entry.id },
  { heading: 'status', value: (entry) => entry.status },
  { heading: 'reason', value: (entry) => entry.reason },
  { heading: 'kind', shrinks: true, value: (entry) => entry.kind },
  { heading: 'source', shrinks: true, optional: true, value: (entry) => entry.source },
  { heading: 'repeats', align: 'right', optional: true, value: (entry) => entry.repeats },
  { heading: 'event', value: (entry) => entry.event_id },
  { heading: 'message', shrinks: true, value: (entry) => entry.message },
];

const statuses: readonly QuarantineStatus[] = ['held', 'released'];

interface QuarantineListFlags extends QuarantineFilterFlags, ListFlags {
  readonly status?: QuarantineStatus;
}

export function addQuarantineList(quarantine: Command, session: Session): void {
  const command = quarantine
    .command('list')
    .description('held and released deliveries, newest first')
    .addOption(new Option('--status <status>', 'in this status').choices(statuses));
  addListOptions(addQuarantineFilterOptions(command)).action(
    async ({ status, ...flags }: QuarantineListFlags) => {
      await withStore(session, async (store) => {
        const filter = { ...quarantineFilter(flags), ...(status && { status }) };
        const found = pages(flags.limit, (page) => store.quarantined(filter, { order: 'newest', ...page }));
        await writeList(session, viewed(found, quarantineView), {
          columns,
          json: flags.json,
          empty: 'Nothing in quarantine matches.',
        });
        const { quarantineDropped } = await store.statistics();
        if (quarantineDropped.verified + quarantineDropped.unverified > 0)
          await session.note(`Not shown: ${droppedText(quarantineDropped)}.`);
      });
    },
  );
}
