import { z } from 'zod';
import type { StoredDelivery } from '../../../event/stored-event.ts';
import type { VerifiedDelivery } from '../../../event/delivery.ts';
import { instantText } from '../../../view/instant-text.ts';

/** A line of an export: all that was received, to be received again elsewhere. */
export const exportedEvent = z.object({
  id: z.string().optional().describe('In the store it was taken from; for people.'),
  kind: z.string().optional().describe('For people: the body decides.'),
  source: z.string().min(1),
  received_at: z.iso.datetime(),
  headers: z.record(z.string(), z.string()),
  message_id: z.string().nullable(),
  message_id_trusted: z.boolean().default(false).describe('An export from before this was said trusts none.'),
  body: z.base64().describe('Byte for byte what was received.'),
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

/** The delivery as it was, at its own time and from its own source. */
export function importedDelivery(line: ExportedEvent): VerifiedDelivery {
  return {
    stage: 'verified',
    source: line.source,
    // The operator vouches for what is imported.
    senderVerified: true,
    receivedAt: Date.parse(line.received_at),
    headers: line.headers,
    body: Buffer.from(line.body, 'base64'),
    messageId: line.message_id,
    messageIdTrusted: line.message_id_trusted,
  };
}
