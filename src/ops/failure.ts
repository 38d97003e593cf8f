import { z } from 'zod';
import { issueSchema } from '../view/quarantine-view.ts';

export const failureSchema = z
  .object({
    error: z.string().describe('The status in words.'),
    message: z.string().describe('What is wrong.'),
    issues: z.array(issueSchema).optional().describe('Each parameter that is wrong.'),
  })
  .meta({ id: 'Failure', description: 'Why there is no other answer.' });

export type Failure = z.infer<typeof failureSchema>;
