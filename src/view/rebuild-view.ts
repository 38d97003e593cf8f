import { z } from 'zod';

export const rebuildSchema = z
  .object({
    machine: z.string().describe('The machine.'),
    source: z.string().describe('Where the subject’s events come from.'),
    subject: z.string().describe('Whose state was folded again, `family:id`.'),
    outcome: z
      .enum(['changed', 'unchanged', 'failed', 'would-rebuild'])
      .describe('Whether the state is another than before; `would-rebuild` in a dry run.'),
    events: z.int().min(0).describe('How many events were folded.'),
    anomalies: z.int().min(0).describe('Impossible moves among them.'),
    message: z.string().nullable().describe('Why it failed; the former state is kept.'),
  })
  .meta({ id: 'Rebuild', description: 'A machine’s state of one subject, folded again from its events.' });

export type RebuildView = z.infer<typeof rebuildSchema>;
