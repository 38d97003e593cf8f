import { z } from 'zod';
import { timelineEntrySchema } from './timeline-entry-view.ts';

export const subjectTimelineSchema = z
  .object({
    subject: z.string().describe('Whose timeline it is, `family:id`.'),
    masked: z.boolean().describe('Whether personal data in `changes` is masked.'),
    total: z.int().min(1).describe('How many events the whole timeline has.'),
    events: z
      .array(timelineEntrySchema)
      .describe('Its events in the order asked for. Those of different sources are never compared.'),
    next: z
      .string()
      .nullable()
      .describe('The `cursor` of the next page; null after the last. A page of long events may be short.'),
  })
  .meta({ id: 'SubjectTimeline', description: 'What is known of a subject, event by event.' });

export type SubjectTimelineView = z.infer<typeof subjectTimelineSchema>;
