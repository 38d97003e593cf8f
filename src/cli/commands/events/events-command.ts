/** `portaria events`: lists, shows, follows, exports, imports and prunes the event log. */
import type { Command } from 'commander';
import { countOf } from '../../../kernel/text/count.ts';
import { printable } from '../../../kernel/text/printable.ts';
import { eventDetail } from '../../../operate/show/event-detail.ts';
import { withOutcomes } from '../../../operate/show/event-outcomes.ts';
import type { EventDetailView } from '../../../view/event-view.ts';
import { operateOnStore } from '../../audited.ts';
import { addEventFilterOptions, eventFilter, type EventFilterFlags } from '../../options/event-filter.ts';
import { addCompanyOption, lookedUp } from '../../options/company-option.ts';
import { noteUnknownKinds } from '../../options/kind-option.ts';
import {
  addListOptions,
  jsonOption,
  unmaskOption,
  type DetailFlags,
  type ListFlags,
} from '../../options/list-options.ts';
import { deliveryColumns } from '../../output/delivery-columns.ts';
import { fieldLines, indentedJson, messageIdText, readableTime, versionInFull } from '../../output/format.ts';
import { pages } from '../../output/pages.ts';
import { createTable } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import { maskingContract } from '../../known-contract.ts';
import type { Session } from '../../session.ts';
import { orSee, withStore } from '../../with-store.ts';
import {
  eventColumns,
  addContentOptions,
  contentPages,
  givenContent,
  type ContentFlags,
} from './events-search.ts';
import { addEventsExport } from './events-export.ts';
import { addEventsImport } from './events-import.ts';
import { addEventsPrune } from './events-prune.ts';
import { addEventsRecognize } from './events-recognize.ts';
import { addEventsTail } from './events-tail.ts';
import { proofHeader } from '../../../verify/headers.ts';
import { readProof } from '../../../verify/read-proof.ts';
import { webhookAddressOf } from '../../../config/webhook-address.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { curlCommand } from '../../../operate/show/curl-command.ts';

export function addEvents(program: Command, session: Session): void {
  const events = program.command('events').description('the event log: every webhook accepted as an event');
  addList(events, session);
  addShow(events, session);
  addEventsCurl(events, session);
  addEventsTail(events, session);
  addEventsExport(events, session);
  addEventsImport(events, session);
  addEventsPrune(events, session);
  addEventsRecognize(events, session);
}

function addList(events: Command, session: Session): void {
  const command = events.command('list').description('list events, newest first');
  addCompanyOption(addEventFilterOptions(command, session.terminal.clock));
  addContentOptions(command);
  addListOptions(command).action(async (flags: EventFilterFlags & ListFlags & ContentFlags) => {
    await noteUnknownKinds(session, flags.kind);
    const content = givenContent(flags);
    await withStore(session, async (store) => {
      const filter = await lookedUp(session, store, eventFilter(flags));
      const found =
        content === null
          ? pages(flags.limit, async (page) =>
              withOutcomes(store, await store.events(filter, { order: 'newest', ...page })),
            )
          : contentPages(session, store, { ...flags, filter, content });
      await writeList(session, found, {
        columns: eventColumns,
        json: flags.json,
        empty: 'No event matches.',
      });
    });
  });
}

function addShow(events: Command, session: Session): void {
  events
    .command('show')
    .description('show one event: its payload, headers and deliveries')
    .argument('<id>', 'the full id, or its number')
    .addOption(unmaskOption())
    .addOption(jsonOption())
    .action(async (id: string, { unmask, json }: DetailFlags) => {
      const shown = { action: 'showEvent', unmasked: true, subject: { id } };
      await operateOnStore(session, unmask ? shown : null, async (store) => {
        const shownAs = { unmask, contract: await maskingContract(session) };
        const event = await orSee('portaria events list', eventDetail(store, id, shownAs));
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
      version: versionInFull(event.version),
      received: readableTime(event.received_at),
      repeated,
      'message id': messageIdText(event),
      size: event.body_bytes === null ? prunedText(event) : `${String(event.body_bytes)} bytes`,
    }),
    ...unknownValuesText(event),
    deliveriesText(event, width),
    ...(event.body_bytes === null ? [] : contentTexts(event)),
  ];
  return parts.join('\n\n');
}

function unknownValuesText({ unknown_values: unknown }: EventDetailView): readonly string[] {
  if (unknown.length === 0) return [];
  const lines = unknown.map(
    ({ path, value }) => `  ${path}: ${value === null ? '***' : JSON.stringify(value)}`,
  );
  return [`Values that the contract does not list\n${printable(lines.join('\n'))}`];
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

function addEventsCurl(events: Command, session: Session): void {
  events
    .command('curl')
    .description('print the curl command that sends an event again; the secret is $PORTARIA_SECRET')
    .argument('<id>', 'the full id, or its number')
    .addOption(unmaskOption())
    .addOption(jsonOption())
    .action(async (id: string, { unmask, json }: DetailFlags) => {
      await withStore(session, async (store, config) => {
        const contract = await maskingContract(session);
        // The secrets of custom sources are not needed, and may not be set in this shell.
        const verifications = new Map(contract.sources.map(({ name, verify }) => [name, verify]));
        const address = (source: string) => {
          const own = config.sources.has(source) ? undefined : verifications.get(source);
          const known = webhookAddressOf(config, source);
          const { proof } = readProof(own?.proof);
          return proof === undefined ? known : { ...known, scheme: proof.scheme, header: proofHeader(proof) };
        };
        const found = await orSee(
          'portaria events list',
          curlCommand(store, id, { unmask, contract, address }),
        );
        if (json) {
          const { command, masked, needsSecret } = found;
          await session.print(JSON.stringify({ command, masked, needs_secret: needsSecret }));
          return;
        }
        if (found.command === null)
          throw new PortariaError(
            'not-found',
            `There is no command for ${id}: its payload is pruned, larger than 256 KiB, or needs --unmask`,
          );
        await session.print(found.command);
        if (found.masked)
          await session.note('Personal data is masked, so this sends another payload; --unmask shows it.');
        if (found.needsSecret) await session.note('Set PORTARIA_SECRET in the shell first.');
      });
    });
}
