import type { Command } from 'commander';
import type { EventRecord } from '../../../event/stored-event.ts';
import { pause } from '../../../kernel/time/pause.ts';
import type { EventFilter } from '../../../store/queries.ts';
import type { Store } from '../../../store/store.ts';
import { eventView } from '../../../view/event-view.ts';
import { listenForInterrupt } from '../../interruption.ts';
import {
  addEventFilterOptions,
  eventFilter,
  type EventFilterFlags,
} from '../../options/event-filter-options.ts';
import { noteUnknownKinds } from '../../options/kind-option.ts';
import { jsonOption } from '../../options/list-options.ts';
import { parseWhole } from '../../options/numbers.ts';
import { eventColumns } from '../../output/event-columns.ts';
import { viewed, type Page } from '../../output/pages.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

const POLL_MS = 500;
const PAGE_SIZE = 500;

interface TailFlags extends EventFilterFlags {
  readonly json: boolean;
  readonly lines: number;
}

export function addEventsTail(events: Command, session: Session): void {
  const { clock } = session.terminal;
  const command = events
    .command('tail')
    .description('the newest events, then each new one as it arrives; Ctrl-C ends it')
    .option('-n, --lines <n>', 'how many to start with', parseWhole, 10);
  addEventFilterOptions(command, clock)
    .addOption(jsonOption())
    .action(async (flags: TailFlags) => {
      await noteUnknownKinds(session, flags.kind);
      await withStore(session, async (store) => {
        const { signal, release } = listenForInterrupt(session.terminal);
        try {
          const found = follow(store, eventFilter(flags), {
            lines: flags.lines,
            signal,
            wait: () => pause(clock, POLL_MS, signal),
          });
          await writeList(session, viewed(found, eventView), {
            columns: eventColumns,
            json: flags.json,
          });
        } finally {
          release();
        }
      });
    });
}

/** The last `lines` events, oldest first, then those that arrive until the signal aborts. */
async function* follow(
  store: Store,
  filter: EventFilter,
  { lines, signal, wait }: { lines: number; signal: AbortSignal; wait: () => Promise<void> },
): AsyncGenerator<Page<EventRecord>> {
  const [newest] = await store.events({}, { order: 'newest', limit: 1 });
  let last = newest?.id;
  if (lines > 0) {
    // Nothing after `last`: what arrives meanwhile comes with the first poll.
    const tail = await store.events(filter, { order: 'newest', limit: lines });
    yield { rows: tail.toReversed(), cut: false };
    last = tail[0]?.id ?? last;
  }
  while (!signal.aborted) {
    const rows = await store.events(filter, {
      order: 'oldest',
      limit: PAGE_SIZE,
      ...(last === undefined ? {} : { after: last }),
    });
    last = rows.at(-1)?.id ?? last;
    yield { rows, cut: false };
    if (rows.length < PAGE_SIZE) await wait();
  }
}
