/** Events, as command line, API and console show them. */
import { z } from 'zod';
import { eventFlags } from '../event/event.ts';
import { verdicts, type EventRecord, type StoredDelivery } from '../event/stored-event.ts';
import { subjectName } from '../event/subject.ts';
import { instantText, instantTextOrNull } from './instant-text.ts';
import type { Contract } from '../contract/contract.ts';
import type { JsonValue } from '../kernel/json/json.ts';
import { deliveryDetailSchema, type DeliveryDetailView } from './delivery-view.ts';
import type { SteppedPayload } from './payload/sent-payload.ts';
import { shownHeaders, type Masking } from './payload/unmasking.ts';

export const verdictSchema = z
  .enum(verdicts)
  .describe(
    'How the event related to the latest state of its subject when it arrived. ' +
      'Repeats are counted on the event they repeat.',
  );

export const eventFlagSchema = z
  .enum(eventFlags)
  .describe('A property of the event that an operator should know.');

export const eventSchema = z
  .object({
    id: z.string().describe('Unique across installations: `<storeId>-<number>`.'),
    kind: z.string().describe('The envelope’s `type`.'),
    subject: z.string().describe('The entity it is about, `family:id`.'),
    source: z.string().describe('The configured source it came from.'),
    verdict: verdictSchema,
    recognized: z.boolean().describe('Whether the contract knows the kind.'),
    flags: z.array(eventFlagSchema).describe('Properties that an operator should know.'),
    version: z
      .string()
      .nullable()
      .describe('Orders the events of the subject, compared as a string; null when the kind has none.'),
    received_at: z.iso.datetime().describe('When it arrived.'),
    repeats: z.int().min(0).describe('How often it was repeated.'),
    last_repeat_at: z.iso.datetime().nullable().describe('When it was last repeated.'),
    message_id: z.string().nullable().describe('The sender’s own id of the message, if it gave one.'),
    message_id_trusted: z
      .boolean()
      .describe(
        'Whether the signature covered the id, or a setting trusted it. An id that is not trusted has no effect.',
      ),
  })
  .meta({ id: 'Event', description: 'An event of the log, without its payload.' });

export type EventView = z.infer<typeof eventSchema>;

export function eventView(event: EventRecord): EventView {
  return {
    id: event.id,
    kind: event.kind,
    subject: subjectName(event.subject),
    source: event.source,
    verdict: event.verdict,
    recognized: event.recognized,
    flags: [...event.flags],
    version: event.version,
    received_at: instantText(event.receivedAt),
    repeats: event.repeats,
    last_repeat_at: instantTextOrNull(event.lastRepeatAt),
    message_id: event.messageId,
    message_id_trusted: event.messageIdTrusted,
  };
}

export const eventDetailSchema = eventSchema
  .extend({
    data: z
      .unknown()
      .describe(
        'The payload with numbers as they were sent, and personal data masked when `masked`; null after it is pruned.',
      ),
    unknown_values: z
      .array(
        z.object({
          path: z.string().describe('The field, for example `data.status`.'),
          value: z.string().nullable().describe('The value; null where the field is personal.'),
        }),
      )
      .describe('Values that the enumerations of the current contract do not list; 20 at most.'),
    masked: z.boolean().describe('Whether personal data in `data` and in errors is masked.'),
    body_bytes: z.int().min(0).nullable().describe('Size of the body as received; null after it is pruned.'),
    pruned_at: z.iso
      .datetime()
      .nullable()
      .describe('When retention removed the payload and the headers; null while they are stored.'),
    headers: z
      .record(z.string(), z.string())
      .describe(
        'The stored request headers. Of an event with the flag `unverified`, most values are masked when `masked`.',
      ),
    deliveries: z.array(deliveryDetailSchema).describe('Its deliveries to handlers.'),
  })
  .meta({ id: 'EventDetail', description: 'An event with its payload and its deliveries.' });

export type EventDetailView = z.infer<typeof eventDetailSchema>;

export async function eventDetailView(
  event: StoredDelivery,
  {
    deliveries,
    payload,
  }: { readonly deliveries: readonly DeliveryDetailView[]; readonly payload: SteppedPayload },
  { unmask, contract }: Masking,
): Promise<EventDetailView> {
  return {
    ...eventView(event),
    data: await payload.shown(),
    unknown_values: unknownValues(event, await payload.data(), contract),
    masked: !unmask,
    body_bytes: event.body?.byteLength ?? null,
    pruned_at: instantTextOrNull(event.prunedAt),
    headers: shownHeaders(event.headers, { isProven: !event.flags.includes('unverified'), unmask }),
    deliveries: [...deliveries],
  };
}

/** The values of an event that the current contract does not list. */
export function unknownValues(
  { source, kind, recognized }: StoredDelivery,
  data: JsonValue,
  contract: Contract,
): EventDetailView['unknown_values'] {
  const found = recognized ? contract.find(source, kind) : undefined;
  // The contract may have changed since: data that is no longer valid has no unknown values to speak of.
  if (found === undefined || found.isKnown(data) || !found.isValid(data)) return [];
  return found.unknownValues(data).map(({ path, value }) => ({ path, value }));
}
