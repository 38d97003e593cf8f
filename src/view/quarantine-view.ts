/** Entries of the quarantine, as command line, API and console show them. */
import { z } from 'zod';
import type { QuarantineRecord, QuarantinedDelivery } from '../store/queries.ts';
import { instantText, instantTextOrNull } from './instant-text.ts';
import { providerEnvelope, type Contract } from '../contract/contract.ts';
import { maskAll, maskPath } from '../contract/personal-data.ts';
import type { JsonValue } from '../kernel/json/json.ts';
import { jsonOf, storedEnvelope, utf8Text } from './payload/stored-envelope.ts';
import { offendingValue } from './payload/offending-value.ts';
import { shownHeaders, type Masking } from './payload/unmasking.ts';

export const issueSchema = z
  .object({
    path: z.string().describe('Where, for example `data.amount`; empty for the whole.'),
    message: z.string().describe('What does not fit there.'),
  })
  .meta({ id: 'Issue', description: 'One thing that does not fit.' });

export const quarantineReasonSchema = z
  .enum(['malformed', 'invalid', 'conflict'])
  .describe(
    '`malformed` is no envelope, `invalid` does not fit the schema of its kind, ' +
      '`conflict` used a message id again for another content.',
  );

export const quarantineStatusSchema = z
  .enum(['held', 'released'])
  .describe('`released` once it became an event.');

export const quarantineSchema = z
  .object({
    id: z.string().describe('`q` and a number.'),
    source: z.string().describe('Where it came from.'),
    status: quarantineStatusSchema,
    reason: quarantineReasonSchema,
    kind: z.string().nullable().describe('The envelope’s `type`, when it could be read.'),
    subject: z
      .string()
      .nullable()
      .describe('`family:id` that its data names; null when unreadable, or held by an older version.'),
    message: z.string().describe('Why it is held, in one sentence.'),
    issues: z.array(issueSchema).describe('All that does not fit.'),
    received_at: z.iso.datetime().describe('When it arrived.'),
    repeats: z.int().min(0).describe('How often the same bytes came again while held.'),
    last_repeat_at: z.iso.datetime().nullable().describe('When they last came again.'),
    message_id: z.string().nullable().describe('The sender’s own id of the message, if it gave one.'),
    event_id: z.string().nullable().describe('The event that it became, once released.'),
  })
  .meta({ id: 'QuarantineEntry', description: 'A verified delivery that is not an event.' });

export type QuarantineView = z.infer<typeof quarantineSchema>;

export function quarantineView(entry: QuarantineRecord): QuarantineView {
  return {
    id: entry.id,
    source: entry.source,
    status: entry.status,
    reason: entry.reason,
    kind: entry.kind,
    subject: entry.subject,
    message: entry.message,
    issues: entry.issues.map(({ path, message }) => ({ path: maskPath(path), message })),
    received_at: instantText(entry.receivedAt),
    repeats: entry.repeats,
    last_repeat_at: instantTextOrNull(entry.lastRepeatAt),
    message_id: entry.messageId,
    event_id: entry.eventId,
  };
}

const valuedIssueSchema = issueSchema.extend({
  value: z
    .string()
    .nullable()
    .describe(
      'The value there as JSON, cut after 100 characters; while `masked` several words as their shape, `text: AAA 999`. Null for an object, a list, nothing, and while `masked` for a personal field.',
    ),
});

export const quarantineDetailSchema = quarantineSchema
  .extend({
    issues: z.array(valuedIssueSchema).describe('All that does not fit.'),
    body: z
      .string()
      .nullable()
      .describe(
        'The body as received. When `masked`, its JSON with personal data masked, ' +
          'or null when it is not JSON, so its personal data cannot be found.',
      ),
    body_encoding: z.enum(['utf-8', 'base64']).describe('How `body` is written: base64 unless it is UTF-8.'),
    body_bytes: z.int().min(0).describe('Size of the body as received.'),
    masked: z.boolean().describe('Whether personal data in `body` is masked.'),
    headers: z
      .record(z.string(), z.string())
      .describe(
        'The request headers that were kept. Of an entry whose sender was not verified, most values are masked when `masked`.',
      ),
    message_id_trusted: z
      .boolean()
      .describe('Whether the signature covered the id, or a setting trusted it. Any other decides nothing.'),
  })
  .meta({ id: 'QuarantineDetail', description: 'A quarantined delivery with its bytes.' });

export type QuarantineDetailView = z.infer<typeof quarantineDetailSchema>;

export function quarantineDetailView(
  entry: QuarantinedDelivery,
  { unmask, contract }: Masking,
): QuarantineDetailView {
  const text = utf8Text(entry.body);
  const shown = quarantineView(entry);
  const data = storedEnvelope(entry, contract)?.data ?? null;
  const kind = contract.find(entry.source, entry.kind ?? '');
  // Of a kind that is not defined any more, nobody knows which fields are personal.
  const isKnown = unmask || kind !== undefined;
  const personal = unmask ? null : (kind?.personalPaths ?? []);
  return {
    ...shown,
    issues: entry.issues.map((issue, index) => ({
      path: unmask ? issue.path : (shown.issues[index]?.path ?? ''),
      message: issue.message,
      value: isKnown ? offendingValue(data, issue.path, personal) : null,
    })),
    body: unmask ? (text ?? Buffer.from(entry.body).toString('base64')) : maskedText(entry, contract),
    body_encoding: text === undefined ? 'base64' : 'utf-8',
    body_bytes: entry.body.byteLength,
    masked: !unmask,
    headers: shownHeaders(entry.headers, { isProven: entry.senderVerified, unmask }),
    message_id_trusted: entry.messageIdTrusted,
  };
}

/** The body's JSON, indented, with personal data masked; null when it is not JSON. */
function maskedText(entry: QuarantinedDelivery, contract: Contract): string | null {
  const value = jsonOf(entry.body);
  if (value === undefined) return null;
  return JSON.stringify(maskedEnvelope(entry, contract) ?? maskAll(value), null, 2);
}

/**
 * Masks by the kind's own rules; what is beside `type` and `data` by those for unknown kinds. The body of a
 * custom source is masked wholly: its envelope may hold other data.
 */
function maskedEnvelope(entry: QuarantinedDelivery, contract: Contract): JsonValue | undefined {
  const envelope = storedEnvelope(entry, contract);
  if (envelope === undefined || contract.envelopeOf(entry.source) !== providerEnvelope) return undefined;
  const whole = maskAll(jsonOf(entry.body) ?? null) as Readonly<Record<string, JsonValue>>;
  return {
    ...whole,
    type: envelope.kind,
    data: contract.mask(entry.source, envelope.kind, envelope.data),
  };
}
