/** Problems, as command line, API and console show them. */
import { z } from 'zod';
import { problemKinds, type OperatorProblem } from '../attention/problem.ts';
import { instantTextOrNull } from './instant-text.ts';

export const problemSchema = z
  .object({
    problem: z.enum(problemKinds).describe('What kind of problem it is.'),
    of: z
      .string()
      .nullable()
      .describe('The handler, source, source and kind, or pattern; null for the whole store.'),
    since: z.iso.datetime().nullable().describe('When it began; null while that is not recorded.'),
    summary: z.string().describe('What is the matter.'),
    remedy: z.string().describe('What to do.'),
  })
  .meta({ id: 'Problem', description: 'A reason why a working installation needs an operator.' });

export type ProblemView = z.infer<typeof problemSchema>;

export function problemView({ problem, of, since, summary, remedy }: OperatorProblem): ProblemView {
  return { problem, of, since: instantTextOrNull(since), summary, remedy };
}
