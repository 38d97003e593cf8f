/** The parameters that many routes of the operators' API take, and the response to invalid ones. */
import type { Context } from 'hono';
import { z } from 'zod';
import { parameterIssues } from '../view/parameters/parameter-issues.ts';
import type { ErrorBody } from './responses.ts';

/** Issues named in one response at most. */
const MAX_ISSUES = 100;

/**
 * The parameters of every list.
 *
 * @param cursor the pattern of a row's id
 */
export function pageParameters(cursor: RegExp) {
  return {
    limit: z.coerce.number().int().min(1).max(1000).default(50).describe('At most so many rows.'),
    cursor: z
      .string()
      .regex(cursor, 'Not a cursor: send the `next` of the page before')
      .optional()
      .describe('The `next` of the page before.'),
    order: z.enum(['newest', 'oldest']).default('newest').describe('Which rows come first.'),
  };
}

/** The JSON body of a change. */
export function jsonBody<S extends z.ZodType>(schema: S) {
  return { body: { required: true, content: { 'application/json': { schema } } } } as const;
}

export const unmaskParameter = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')
  .describe('Show personal data in plain text.');

/** Bytes cannot be masked, so a body needs the explicit request for personal data. */
export const bodyQuery = z.strictObject({
  unmask: z
    .literal('true', 'A body holds personal data in plain text: add unmask=true')
    .describe('Required, because bytes cannot be masked.'),
});

/** Responds 400 when parameters or a body do not match their schema, naming each issue. */
export function rejectParameters(
  result: { readonly success: true } | { readonly success: false; readonly error: z.core.$ZodError },
  c: Context,
): Response | undefined {
  if (result.success) return undefined;
  const all = parameterIssues(result.error);
  const issues = all.slice(0, MAX_ISSUES);
  const more =
    all.length > issues.length ? `: the first ${String(issues.length)} of ${String(all.length)} issues` : '';
  return c.json(
    { error: 'Bad Request', message: `Invalid parameters${more}`, issues } satisfies ErrorBody,
    400,
  );
}
