import type { Command } from 'commander';
import { eventDetail } from '../../../operate/event-detail.ts';
import { type EventDetailView, type EventView, eventView } from '../../../view/event-view.ts';
import { addEventFilterOptions, eventFilter, type EventFilterFlags } from '../../options/event-filter.ts';
import { noteUnknownKinds } from '../../options/kind-option.ts';
import {
  addListOptions,
  jsonOption,
  unmaskOption,
  type DetailFlags,
  type ListFlags,
} from '../../options/list-options.ts';
import { deliveryColumns } from '../../output/delivery-columns.ts';
import { countOf, fieldLines, indentedJson, messageIdText, readableTime } from '../../output/format.ts';
import { pages, viewed } from '../../output/pages.ts';
import { createTable, type Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';
import { addEventsExport } from './events-export.ts';
import { addEventsImport } from './events-import.ts';
import { addEventsPrune } from './events-prune.ts';
import { addEventsTail } from './events-tail.ts';

const eventColumns: readonly Column<EventView>[] = [
  { heading: 'received', value: (event) => readableTime(event.received_at) },
  { heading: 'id', value: (event) => event.id },
  { heading: 'kind', shrinks: true, value: (event) => event.kind },
  { heading: 'subject', shrinks: true, value: (event) => event.subject },
  { heading: 'source', shrinks: true, optional: true, value: (event) => event.source },
  { heading: 'verdict', value: (event) => event.verdict },
  { heading: 'flags', shrinks: true, value: (event) => event.flags.join(' ') },
  { heading: 'version', shrinks: true, optional: true, value: (event) => event.version },
  { heading: 'repeats', align: 'right', optional: true, value: (event) => event.repeats },
];

/** `portaria events`: lists, shows, follows, exports, imports and prunes the event log. */
export function addEvents(program: Command, session: Session): void {
  const events = program.command('events').description('the event log: every webhook accepted as an event');
  addList(events, session);
  addShow(events, session);
  addEventsTail(events, session, eventColumns);
  addEventsExport(events, session);
  addEventsImport(events, session);
  addEventsPrune(events, session);
}

function addList(events: Command, session: Session): void {
  const command = events.command('list').description('list events, newest first');
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

function addShow(events: Command, session: Session): void {
  events
    .command('show')
    .description('show one event: its payload, headers and deliveries')
    .argument('<id>', 'the full id, or its number')
    .addOption(unmaskOption())
    .addOption(jsonOption())
    .action(async (id: string, { unmask, json }: DetailFlags) => {
      await withStore(session, async (store) => {
        const event = await eventDetail(store, id, { unmask });
        await session.print(json ? JSON.stringify(event) : eventText(event, session.terminal.out.columns()));
      });
    });
}

function eventText(event: EventDetailView, width: number): string {
  const repeated =
    event.repeats === 0
      ? 'never'
      : `${countOf(event.repeats, 'time')}, last ${readableTime(event.last_repeat_at)}`;
  const parts = [
    fieldLines({
      event: event.id,
      kind: event.recognized ? event.kind : `${event.kind} (not in the contract)`,
      subject: event.subject,
      source: event.source,
      verdict: event.verdict,
      flags: event.flags.join(' ') || 'none',
      version: event.version ?? 'none',
      received: readableTime(event.received_at),
      repeated,
      'message id': messageIdText(event),
      size: event.body_bytes === null ? prunedText(event) : `${String(event.body_bytes)} bytes`,
    }),
    deliveriesText(event, width),
    ...(event.body_bytes === null ? [] : contentTexts(event)),
  ];
  return parts.join('\n\n');
}

function contentTexts({ headers, data, masked }: EventDetailView): readonly string[] {
  return [
    `Headers\n${indentedJson(headers)}`,
    `Payload${masked ? ' (personal data masked; --unmask shows it)' : ''}\n${indentedJson(data)}`,
  ];
}

function prunedText({ pruned_at: at }: EventDetailView): string {
  return `pruned on ${readableTime(at)}: payload and headers are removed, subject, version and digest stay`;
}

function deliveriesText({ deliveries }: EventDetailView, width: number): string {
  if (deliveries.length === 0) return 'Deliveries\n  none: no handler takes this event';
  const table = createTable(
    deliveryColumns.filter(({ heading }) => !['event', 'kind', 'subject'].includes(heading)),
    width - 2,
  );
  return `Deliveries\n${table.page(deliveries).replaceAll(/^/gm, '  ')}`;
}
