import { z } from 'zod';
import { maskPersonalData } from '../contract/personal-data.ts';
import type { JsonValue } from '../kernel/json/json.ts';
import type { QuarantinedDelivery } from '../store/queries.ts';
import { quarantineSchema, quarantineView } from './quarantine-view.ts';
import { jsonOf, storedEnvelope, utf8Text } from './stored-envelope.ts';
import type { Unmasking } from './unmasking.ts';

export const quarantineDetailSchema = quarantineSchema
  .extend({
    body: z
      .string()
      .nullable()
      .describe(
        'The body as received. When `masked`, its JSON with personal data masked, ' +
          'or null when it is not JSON and so nobody can tell what to mask.',
      ),
    body_encoding: z.enum(['utf-8', 'base64']).describe('How `body` is written: base64 unless it is UTF-8.'),
    body_bytes: z.int().min(0).describe('Size of the body as received.'),
    masked: z.boolean().describe('Whether personal data in `body` is masked.'),
    headers: z.record(z.string(), z.string()).describe('The request headers that were kept.'),
    message_id: z.string().nullable().describe('The sender’s own id of the message, if it gave one.'),
    message_id_trusted: z
      .boolean()
      .describe('Whether the signature covered the id, or a setting trusted it. Any other decides nothing.'),
  })
  .meta({ id: 'QuarantineDetail', description: 'A quarantined delivery with its bytes.' });

export type QuarantineDetailView = z.infer<typeof quarantineDetailSchema>;

export function quarantineDetailView(
  entry: QuarantinedDelivery,
  { unmask }: Unmasking,
): QuarantineDetailView {
  const text = utf8Text(entry.body);
  return {
    ...quarantineView(entry),
    body: unmask ? (text ?? Buffer.from(entry.body).toString('base64')) : maskedText(entry.body),
    body_encoding: text === undefined ? 'base64' : 'utf-8',
    body_bytes: entry.body.byteLength,
    masked: !unmask,
    headers: { ...entry.headers },
    message_id: entry.messageId,
    message_id_trusted: entry.messageIdTrusted,
  };
}

/** The body's JSON, indented, with personal data masked; null when it is not JSON. */
function maskedText(body: Uint8Array): string | null {
  const value = jsonOf(body);
  if (value === undefined) return null;
  return JSON.stringify(maskedEnvelope(body) ?? maskPersonalData('', value), null, 2);
}

/** Masks by the kind's own rules; what is beside `type` and `data` by those for unknown kinds. */
function maskedEnvelope(body: Uint8Array): JsonValue | undefined {
  const envelope = storedEnvelope(body);
  if (envelope === undefined) return undefined;
  const whole = maskPersonalData('', jsonOf(body) ?? null) as Readonly<Record<string, JsonValue>>;
  return { ...whole, type: envelope.kind, data: maskPersonalData(envelope.kind, envelope.data) };
}
