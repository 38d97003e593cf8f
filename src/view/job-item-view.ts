/** What became of the items of a job, as command line, API and console show them. */
import { z } from 'zod';
import { subjectName } from '../event/subject.ts';
import type { JobRecord } from '../store/jobs.ts';
import type { AttemptRecord, DeliveryRecord, QuarantineRecord } from '../store/queries.ts';
import { deliveryStatusSchema } from './delivery-view.ts';
import { instantText, instantTextOrNull } from './instant-text.ts';
import { errorText, type Unmasking } from './payload/unmasking.ts';

export const itemResultSchema = z
  .enum(['succeeded', 'failed', 'skipped', 'waiting', 'left_alone', 'not_begun'])
  .describe(
    '`waiting` was acted on and has no result yet; `left_alone` was not acted on, because it needed it no longer.',
  );

/** Why an item was left alone. */
const whyLeft = [
  'succeeded',
  'discarded',
  'retrying',
  'failed-again',
  'overtaken',
  'released',
  'invalid',
  'gone',
] as const;

export const jobItemSchema = z
  .object({
    id: z.string().describe('The delivery, the quarantined webhook, or the event of a replay or repair.'),
    event_id: z.string().nullable().describe('Its event.'),
    subject: z.string().nullable().describe('The subject, `family:id`.'),
    handler: z.string().nullable().describe('The handler.'),
    result: itemResultSchema,
    why: z
      .enum(whyLeft)
      .nullable()
      .describe(
        'Of what was left alone, as it was when the job ended: it had succeeded, was discarded, is being retried, has failed again since the plan, ' +
          'is overtaken by a later event, was released before, is still invalid, or is stored no more.',
      ),
    overtaken_by: z.string().nullable().describe('The later event that its handler has handled or runs.'),
    error: z
      .string()
      .nullable()
      .describe(
        'Why the attempt of the job failed, also after a later success, without likely personal data.',
      ),
    failed_at: z.iso.datetime().nullable().describe('When this attempt ended.'),
    status: deliveryStatusSchema.nullable().describe('The status of the delivery now.'),
    finished_at: z.iso.datetime().nullable().describe('When the delivery ended for good.'),
  })
  .meta({ id: 'JobItem', description: 'What became of an item of a job.' });

export type ItemResult = z.infer<typeof itemResultSchema>;
export type JobItemView = z.infer<typeof jobItemSchema>;

/** What is known of an item. */
export interface JobItem {
  readonly id: string;
  readonly eventId: string | null;
  readonly delivery: DeliveryRecord | undefined;
  readonly entry: QuarantineRecord | undefined;
  /** The attempts of the delivery since the job was started that did not succeed, oldest first. */
  readonly attempts: readonly AttemptRecord[];
  /** The later event of the subject that the handler has handled or runs. */
  readonly overtakenBy: string | null;
}

export function jobItemView(
  item: JobItem,
  result: ItemResult,
  { endedAt }: Pick<JobRecord, 'endedAt'>,
  unmasking: Unmasking,
): JobItemView {
  const { id, delivery, entry, attempts } = item;
  const failed = result === 'failed' ? attempts.find(({ outcome }) => outcome !== 'interrupted') : undefined;
  const error = failed?.error ?? (result === 'failed' ? (delivery?.lastError ?? null) : null);
  return {
    id,
    event_id: item.eventId,
    subject: delivery === undefined ? (entry?.subject ?? null) : subjectName(delivery.subject),
    handler: delivery === undefined ? null : (delivery.effect ?? delivery.handler),
    result,
    why: result === 'left_alone' ? whyOf(item, endedAt ?? Infinity) : null,
    overtaken_by: item.overtakenBy,
    error: errorText(error, unmasking),
    failed_at: failed === undefined ? null : instantText(failed.endedAt),
    status: delivery?.status ?? null,
    finished_at: instantTextOrNull(delivery?.finishedAt ?? null),
  };
}

/** What happened after the end of the job was not its reason. */
function whyOf({ delivery, entry, attempts, overtakenBy }: JobItem, endedAt: number): JobItemView['why'] {
  if (entry !== undefined) return entry.status === 'released' ? 'released' : 'invalid';
  if ((delivery?.finishedAt ?? 0) > endedAt) {
    if (attempts.some((each) => each.endedAt <= endedAt)) return 'failed-again';
    return overtakenBy === null ? 'retrying' : 'overtaken';
  }
  switch (delivery?.status) {
    case undefined:
      return 'gone';
    case 'succeeded':
      return 'succeeded';
    case 'skipped':
      return 'discarded';
    case 'dead':
      return attempts.length > 0 ? 'failed-again' : 'overtaken';
    default:
      return 'retrying';
  }
}
