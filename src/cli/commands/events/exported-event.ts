/** The lines that `events export` writes and `events import` reads. */
import { z } from 'zod';
import { sourceName } from '../../../config/read-sources.ts';
import type { StoredDelivery } from '../../../event/stored-event.ts';
import type { VerifiedDelivery } from '../../../event/delivery.ts';
import { readMessageId } from '../../../verify/headers.ts';
import { instantText } from '../../../view/instant-text.ts';

/** One line of an export: a webhook as it was received, so that another store can receive it again. */
export const exportedEvent = z.object({
  id: z.string().optional().describe('The event id in the exporting store. Not imported.'),
  kind: z.string().optional().describe('For people. The import reads the kind from the body.'),
  source: z
    .string()
    .regex(sourceName, 'must be the name of a source: up to 63 lowercase letters, digits and hyphens'),
  received_at: z.iso.datetime(),
  headers: z.record(z.string(), z.string()),
  // As from a sender: other ids cannot be searched for, and long ones do not fit into an index.
  message_id: z
    .string()
    .refine((id) => readMessageId(id) !== null, 'must be 1 to 256 visible ASCII characters, or null')
    .nullable(),
  message_id_trusted: z.boolean().default(false).describe('False in exports from before this field existed.'),
  body: z.base64().describe('The received bytes.'),
});

export type ExportedEvent = z.infer<typeof exportedEvent>;

export function exportEvent(event: StoredDelivery, body: Uint8Array): ExportedEvent {
  return {
    id: event.id,
    kind: event.kind,
    source: event.source,
    received_at: instantText(event.receivedAt),
    headers: { ...event.headers },
    message_id: event.messageId,
    message_id_trusted: event.messageIdTrusted,
    body: Buffer.from(body).toString('base64'),
  };
}

/** The webhook of an exported line, with its original source and time. */
export function importedDelivery(line: ExportedEvent): VerifiedDelivery {
  return {
    stage: 'verified',
    source: line.source,
    // The operator who imports a file vouches for it.
    senderVerified: true,
    receivedAt: Date.parse(line.received_at),
    headers: line.headers,
    body: Buffer.from(line.body, 'base64'),
    messageId: line.message_id,
    messageIdTrusted: line.message_id_trusted,
  };
}
