/** Results of changes, as views show them. */
import { z } from 'zod';
import { issueSchema, quarantineStatusSchema } from './quarantine-view.ts';
import { deliveryStatusSchema } from './delivery-view.ts';

export const releaseSchema = z
  .object({
    id: z.string().describe('The quarantine entry.'),
    outcome: z
      .enum(['released', 'duplicate', 'held', 'already-released', 'would-release', 'dropped'])
      .describe(
        '`released` as a new event, `duplicate` of an event that is known, `held` because it still does not match, ' +
          '`would-release` in a dry run, `dropped` by the quota.',
      ),
    event_id: z.string().nullable().describe('The event it became or repeats.'),
    kind: z.string().nullable().describe('The envelope’s `type`, when it can be read.'),
    message: z.string().nullable().describe('Why it is still held.'),
    overtaken: z
      .array(
        z.object({
          handler: z.string().describe('The handler.'),
          by: z.string().describe('The later event.'),
        }),
      )
      .describe('Handlers that do not get it, because they handle a later event of the subject first.'),
    issues: z.array(issueSchema).describe('What still does not match.'),
  })
  .meta({ id: 'Release', description: 'The result for one quarantine entry.' });

export type ReleaseView = z.infer<typeof releaseSchema>;

export const retrySchema = z
  .object({
    retried: z.array(z.string()).describe('Dead deliveries that are pending again.'),
    left_alone: z
      .array(
        z.object({
          id: z.string().describe('The delivery.'),
          status: deliveryStatusSchema
            .nullable()
            .describe('Its status; null when there is no such delivery.'),
          overtaken_by: z
            .string()
            .optional()
            .describe('The later event of the subject with which the handler has succeeded.'),
        }),
      )
      .describe('Deliveries that were not dead, or are overtaken.'),
  })
  .meta({ id: 'Retry', description: 'Which deliveries were retried.' });

export type RetryView = z.infer<typeof retrySchema>;

/** The result of discarding deliveries. */
export interface DiscardView {
  /** Deliveries that are skipped now. */
  readonly discarded: readonly string[];
  /** Deliveries that were running or over; status null when there is no such delivery. */
  readonly left_alone: RetryView['left_alone'];
}

export const entryDiscardSchema = z
  .object({
    discarded: z.array(z.string()).describe('Entries that are removed with their bytes.'),
    left_alone: z
      .array(
        z.object({
          id: z.string().describe('The quarantine entry.'),
          status: quarantineStatusSchema
            .nullable()
            .describe('`held` when it came again meanwhile; null when there is no such entry.'),
        }),
      )
      .describe('Entries that were not held, or came again meanwhile.'),
  })
  .meta({ id: 'QuarantineDiscard', description: 'Which quarantine entries were discarded.' });

export type EntryDiscardView = z.infer<typeof entryDiscardSchema>;

export const rebuildSchema = z
  .object({
    machine: z.string().describe('The machine.'),
    source: z.string().describe('Where the subject’s events come from.'),
    subject: z.string().describe('The subject, `family:id`.'),
    outcome: z
      .enum(['changed', 'unchanged', 'kept', 'failed'])
      .describe('Whether the state changed, or in a dry run would; `kept` because needed events are pruned.'),
    events: z.int().min(0).describe('Events folded.'),
    anomalies: z.int().min(0).describe('Anomalies among them.'),
    message: z.string().nullable().describe('Why it failed or was kept, or from where it was folded.'),
  })
  .meta({ id: 'Rebuild', description: 'A machine’s state of one subject, folded again from its events.' });

export type RebuildView = z.infer<typeof rebuildSchema>;
