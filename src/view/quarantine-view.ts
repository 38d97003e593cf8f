import { z } from 'zod';
import type { QuarantineRecord } from '../store/queries.ts';
import { instantText, instantTextOrNull } from './instant-text.ts';

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
    message: z.string().describe('Why it is held, in one sentence.'),
    issues: z.array(issueSchema).describe('All that does not fit.'),
    received_at: z.iso.datetime().describe('When it arrived.'),
    repeats: z.int().min(0).describe('How often the same bytes came again while held.'),
    last_repeat_at: z.iso.datetime().nullable().describe('When they last came again.'),
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
    message: entry.message,
    issues: entry.issues.map(({ path, message }) => ({ path, message })),
    received_at: instantText(entry.receivedAt),
    repeats: entry.repeats,
    last_repeat_at: instantTextOrNull(entry.lastRepeatAt),
    event_id: entry.eventId,
  };
}
