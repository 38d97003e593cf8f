import type { EventDetailView } from '../../view/event-view.ts';
import { deliveryColumns } from './delivery-columns.ts';
import { fieldLines } from './field-lines.ts';
import { indentedJson } from './indented-json.ts';
import { messageIdText } from './message-id-text.ts';
import { readableTime } from './readable-time.ts';
import { createTable } from './table.ts';

/** Everything known of an event, for people. */
export function eventDetailText(event: EventDetailView, width: number): string {
  const repeated =
    event.repeats === 0
      ? 'never'
      : `${String(event.repeats)} times, last ${readableTime(event.last_repeat_at)}`;
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
      size: event.body_bytes === null ? 'purged' : `${String(event.body_bytes)} bytes`,
    }),
    deliveriesText(event, width),
    `Headers\n${indentedJson(event.headers)}`,
    `Payload${event.masked ? ' (personal data masked; --unmask shows it)' : ''}\n${indentedJson(event.data)}`,
  ];
  return parts.join('\n\n');
}

function deliveriesText({ deliveries }: EventDetailView, width: number): string {
  if (deliveries.length === 0) return 'Deliveries\n  none: no handler takes this event';
  const table = createTable(
    deliveryColumns.filter(({ heading }) => !['event', 'kind', 'subject'].includes(heading)),
    width - 2,
  );
  return `Deliveries\n${table.page(deliveries).replaceAll(/^/gm, '  ')}`;
}
