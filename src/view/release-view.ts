import { z } from 'zod';
import { issueSchema } from './quarantine-view.ts';

export const releaseSchema = z
  .object({
    id: z.string().describe('The quarantine entry.'),
    outcome: z
      .enum(['released', 'duplicate', 'held', 'already-released', 'would-release', 'dropped'])
      .describe(
        '`released` as a new event, `duplicate` of an event that is known, `held` since it still does not fit, ' +
          '`would-release` in a dry run, `dropped` by the quota meanwhile.',
      ),
    event_id: z.string().nullable().describe('The event that it became or repeats.'),
    kind: z.string().nullable().describe('The envelope’s `type`, when it can be read.'),
    message: z.string().nullable().describe('Why it is still held.'),
    issues: z.array(issueSchema).describe('All that still does not fit.'),
  })
  .meta({ id: 'Release', description: 'What became of a quarantine entry that was to be released.' });

export type ReleaseView = z.infer<typeof releaseSchema>;
