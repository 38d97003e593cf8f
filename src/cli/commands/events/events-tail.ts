/** `portaria events tail`: prints new events until Ctrl-C. */
import type { Command } from 'commander';
import type { EventRecord } from '../../../event/stored-event.ts';
import { pause } from '../../../kernel/time/pause.ts';
import { withOutcomes, type EventOutcomeView } from '../../../operate/show/event-outcomes.ts';
import type { EventFilter } from '../../../store/queries.ts';
import type { Store } from '../../../store/store.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { addEventFilterOptions, eventFilter, type EventFilterFlags } from '../../options/event-filter.ts';
import { noteUnknownKinds } from '../../options/kind-option.ts';
import { jsonOption } from '../../options/list-options.ts';
import { parseWhole } from '../../options/values.ts';
import type { Page } from '../../output/pages.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';
import { eventColumns } from './events-search.ts';

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
    .description('print the newest events, then each new one with its outcome, until Ctrl-C')
    .option('-n, --lines <n>', 'start with the newest n events', parseWhole, 10);
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
          await writeList(session, found, { columns: eventColumns, json: flags.json });
        } finally {
          release();
        }
      });
    });
}

/** Yields the last `lines` events, oldest first, then new ones until the signal aborts. */
async function* follow(
  store: Store,
  filter: EventFilter,
  { lines, signal, wait }: { lines: number; signal: AbortSignal; wait: () => Promise<void> },
): AsyncGenerator<Page<EventOutcomeView>> {
  const [newest] = await store.events({}, { order: 'newest', limit: 1 });
  let last = newest?.id;
  if (lines > 0) {
    const tail = await store.events(filter, { order: 'newest', limit: lines });
    yield { rows: await withOutcomes(store, tail.toReversed()), cut: false };
    // If no event matches, the first poll starts after the newest event of all.
    last = tail[0]?.id ?? last;
  }
  while (!signal.aborted) {
    const rows = await store.events(filter, {
      order: 'oldest',
      limit: PAGE_SIZE,
      ...(last === undefined ? {} : { after: last }),
    });
    last = rows.at(-1)?.id ?? last;
    yield { rows: await settled(store, rows, wait), cut: false };
    if (rows.length < PAGE_SIZE) await wait();
  }
}

/** Waits once for deliveries that are not over: most end within a poll, and the line then says how. */
async function settled(
  store: Store,
  events: readonly EventRecord[],
  wait: () => Promise<void>,
): Promise<readonly EventOutcomeView[]> {
  const found = await withOutcomes(store, events);
  if (!found.some(({ outcome }) => outcome === 'pending')) return found;
  await wait();
  return withOutcomes(store, events);
}
