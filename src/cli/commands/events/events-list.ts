import type { Command } from 'commander';
import { eventView } from '../../../view/event-view.ts';
import {
  addEventFilterOptions,
  eventFilter,
  type EventFilterFlags,
} from '../../options/event-filter-options.ts';
import { noteUnknownKinds } from '../../options/kind-option.ts';
import { addListOptions, type ListFlags } from '../../options/list-options.ts';
import { eventColumns } from '../../output/event-columns.ts';
import { pages, viewed } from '../../output/pages.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

export function addEventsList(events: Command, session: Session): void {
  const command = events.command('list').description('events, newest first');
  addListOptions(addEventFilterOptions(command, session.terminal.clock)).action(
    async (flags: EventFilterFlags & ListFlags) => {
      await noteUnknownKinds(session, flags.kind);
      await withStore(session, async (store) => {
        const filter = eventFilter(flags);
        const found = pages(flags.limit, (page) => store.events(filter, { order: 'newest', ...page }));
        await writeList(session, viewed(found, eventView), {
          columns: eventColumns,
          json: flags.json,
          empty: 'No event matches.',
        });
      });
    },
  );
}
