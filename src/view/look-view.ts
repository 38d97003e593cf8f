/** The last looks at the provider's records, as the API shows them. */
import { z } from 'zod';
import type { RecordedLook } from '../store/monitoring.ts';
import { instantText } from './instant-text.ts';

export const lookSchema = z
  .object({
    source: z.string().describe('The source whose events were compared with the records of its API.'),
    family: z.string().describe('The family of the subjects.'),
    at: z.iso.datetime().describe('When the look began.'),
    equal: z.number().describe('Subjects that are equal to their records.'),
    differing: z.record(z.string(), z.number()).describe('Subjects that differ, by outcome.'),
    differences: z
      .array(
        z.object({
          subject: z.string().describe('As family:id.'),
          outcome: z.string().describe('How it differs, as `portaria reconcile` names it.'),
          fields: z.array(z.string()).describe('The paths of the fields that differ.'),
          since: z.iso.datetime().describe('When the provider changed it, or when it was first found.'),
          quarantined: z.string().nullable().describe('A body about it that the quarantine held.'),
        }),
      )
      .describe('At most 100 of the subjects that differ: those that a repair can bring before others.'),
  })
  .meta({ id: 'Look', description: 'The last complete look at the records of a family.' });

export function lookView({
  wholeAt: _,
  at,
  family,
  differences,
  ...look
}: RecordedLook): z.infer<typeof lookSchema> {
  return {
    ...{ ...look, family, at: instantText(at), differing: { ...look.differing } },
    differences: differences.map(({ id, fields, since, ...one }) => ({
      ...{ subject: `${family}:${id}`, ...one, fields: [...fields], since: instantText(since) },
    })),
  };
}
