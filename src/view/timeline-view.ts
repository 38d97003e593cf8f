/** The timeline of a subject, as views show it. */
import { z } from 'zod';
import type { EventRecord, StoredEvent } from '../event/stored-event.ts';
import type { DeliveryRecord } from '../store/queries.ts';
import { changeSchema, changeViews } from './change-view.ts';
import { deliverySchema, deliveryView } from './delivery-view.ts';
import { eventSchema, eventView } from './event-view.ts';
import type { Masking } from './payload/unmasking.ts';

export const timelineEntrySchema = eventSchema
  .extend({
    deliveries: z.array(deliverySchema).describe('Its deliveries to handlers.'),
    compared_with: z
      .string()
      .nullable()
      .describe(
        'The event that `changes` starts from: for a stale event the previous one in version order, otherwise ' +
          'the latest before it. Null for the first, and when either payload is pruned.',
      ),
    changes: z.array(changeSchema).describe('The differences from that event.'),
  })
  .meta({ id: 'TimelineEntry', description: 'An event of a subject’s timeline.' });

export type TimelineEntryView = z.infer<typeof timelineEntrySchema>;

export const subjectTimelineSchema = z
  .object({
    subject: z.string().describe('The subject, `family:id`.'),
    masked: z.boolean().describe('Whether personal data in `changes` and in errors is masked.'),
    total: z.int().min(1).describe('Events of the whole timeline.'),
    events: z
      .array(timelineEntrySchema)
      .describe('Its events in the requested order. Events of different sources are never compared.'),
    next: z
      .string()
      .nullable()
      .describe(
        'The `cursor` of the next page; null after the last. A page of large events may be shorter than the limit.',
      ),
  })
  .meta({ id: 'SubjectTimeline', description: 'The events of a subject.' });

export type SubjectTimelineView = z.infer<typeof subjectTimelineSchema>;

/** An event of the timeline and the event it is compared with. */
export interface TimelineEntry {
  readonly record: EventRecord;
  readonly deliveries: readonly DeliveryRecord[];
  /** Null for the first of its source, or when either payload is pruned. */
  readonly comparison: { readonly before: StoredEvent; readonly after: StoredEvent } | null;
}

/** An entry with the first of its changes, and how many follow. */
export interface LimitedEntry {
  readonly entry: TimelineEntryView;
  readonly moreChanges: number;
}

/** @param limit changes of the entry, at most */
export async function timelineEntryView(
  { record, deliveries, comparison }: TimelineEntry,
  masking: Masking,
  limit?: number,
): Promise<LimitedEntry> {
  const { changes, more } =
    comparison === null
      ? { changes: [], more: 0 }
      : await changeViews(comparison.before, comparison.after, masking, limit);
  const entry = {
    ...eventView(record),
    deliveries: deliveries.map((delivery) => deliveryView(delivery, masking)),
    compared_with: comparison?.before.id ?? null,
    changes: [...changes],
  };
  return { entry, moreChanges: more };
}
