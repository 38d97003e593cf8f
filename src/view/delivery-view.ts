/** Deliveries and their attempts, as command line, API and console show them. */
import { z } from 'zod';
import { subjectName } from '../event/subject.ts';
import type { AttemptRecord, DeliveryRecord } from '../store/queries.ts';
import { instantText, instantTextOrNull } from './instant-text.ts';
import { failedText, pauseSchema, pauseView, scopeText } from './pause-view.ts';
import { errorText, type Unmasking } from './payload/unmasking.ts';

export const deliveryStatusSchema = z
  .enum(['pending', 'running', 'succeeded', 'dead', 'skipped'])
  .describe('`dead` is out of attempts and waits for an operator; `skipped` was discarded or superseded.');

export const deliverySchema = z
  .object({
    id: z.string().describe('`d` and a number.'),
    event_id: z.string().describe('The event that is delivered.'),
    kind: z.string().describe('The event’s kind.'),
    subject: z.string().describe('The event’s subject, `family:id`.'),
    source: z.string().describe('The event’s source.'),
    handler: z.string().describe('The handler, the machine, or `<machine>/effects`.'),
    effect: z.string().nullable().describe('The machine’s effect, if it is one.'),
    replay: z.string().nullable().describe('The job of the replay that enqueued it, `j` and a number.'),
    status: deliveryStatusSchema,
    attempts: z.int().min(0).describe('Attempts so far, including a running one.'),
    last_error: z
      .string()
      .nullable()
      .describe(
        'Why the last attempt failed, or why the delivery was skipped or is dead, with likely personal data replaced unless unmasked.',
      ),
    due_at: z.iso.datetime().nullable().describe('When it may run; null unless pending.'),
    finished_at: z.iso.datetime().nullable().describe('When it ended for good.'),
    waits_for: z
      .string()
      .nullable()
      .describe(
        'The pause that it waits for, with its reason, or the failed delivery that its lane waits behind, or its rate; null otherwise.',
      ),
    rate_until: z.iso
      .datetime()
      .nullable()
      .describe('When the rate of its handler may allow it; null when it waits for none.'),
    pause: pauseSchema.nullable().describe('This pause; null otherwise.'),
  })
  .meta({ id: 'Delivery', description: 'One event for one handler.' });

export type DeliveryView = z.infer<typeof deliverySchema>;

export function deliveryView(delivery: DeliveryRecord, unmasking: Unmasking): DeliveryView {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    kind: delivery.kind,
    subject: subjectName(delivery.subject),
    source: delivery.source,
    handler: delivery.handler,
    effect: delivery.effect,
    replay: delivery.replay,
    status: delivery.status,
    // The store counts the first attempt of a prefetched delivery with its outcome.
    attempts: delivery.status === 'running' ? Math.max(1, delivery.attempts) : delivery.attempts,
    last_error: errorText(delivery.lastError, unmasking),
    due_at: instantTextOrNull(delivery.dueAt),
    finished_at: instantTextOrNull(delivery.finishedAt),
    waits_for: waitText(delivery, unmasking),
    rate_until: instantTextOrNull(delivery.rateUntil),
    pause: delivery.pausedBy && pauseView(delivery.pausedBy),
  };
}

function waitText(
  { pausedBy: pause, rateUntil }: Pick<DeliveryRecord, 'pausedBy' | 'rateUntil'>,
  unmasking: Unmasking,
): string | null {
  if (pause === null) return rateUntil === null ? null : `its rate until ${instantText(rateUntil)}`;
  if (pause.deadLetter !== null) return failedText(pause.deadLetter);
  return `paused (${scopeText(pause)}) by ${pause.pausedBy}: ${errorText(pause.reason, unmasking)}`;
}

const attemptSchema = z
  .object({
    attempt: z.int().min(0).describe('Its number since the delivery was enqueued or retried by hand.'),
    outcome: z
      .enum(['failed', 'dead', 'interrupted'])
      .describe(
        '`dead` was the last, by number or by the handler’s choice; `interrupted` ended with the process.',
      ),
    ended_at: z.iso.datetime().describe('When it ended.'),
    duration_ms: z.int().min(0).nullable().describe('How long it took; null when that is not known.'),
    due_at: z.iso
      .datetime()
      .nullable()
      .describe('When the next one was due; null when none followed by itself.'),
    error: z
      .string()
      .nullable()
      .describe('Why it failed, with likely personal data replaced unless unmasked; null once pruned.'),
  })
  .meta({ id: 'Attempt', description: 'An attempt of a delivery that did not succeed.' });

export const deliveryDetailSchema = deliverySchema
  .extend({
    history: z
      .array(attemptSchema)
      .describe(
        'The attempts that did not succeed, oldest first: the latest 50, those before a retry by hand, too.',
      ),
  })
  .meta({ id: 'DeliveryDetail', description: 'A delivery with its failed attempts.' });

export type AttemptView = z.infer<typeof attemptSchema>;
export type DeliveryDetailView = z.infer<typeof deliveryDetailSchema>;

/** @param attempts those of this delivery, oldest first */
export function deliveryDetailView(
  delivery: DeliveryRecord,
  attempts: readonly AttemptRecord[],
  unmasking: Unmasking,
): DeliveryDetailView {
  return {
    ...deliveryView(delivery, unmasking),
    history: attempts.map(({ attempt, outcome, endedAt, durationMs, dueAt, error }) => ({
      attempt,
      outcome,
      ended_at: instantText(endedAt),
      duration_ms: durationMs,
      due_at: instantTextOrNull(dueAt),
      error: errorText(error, unmasking),
    })),
  };
}
