import type { Context } from 'hono';
import { z } from 'zod';
import { normalizeInstant } from '../contract/instant.ts';
import { parseSubjectName, type Subject } from '../event/subject.ts';
import type { ErrorBody } from './responses.ts';

/** Issues named in one response at most. */
const MAX_ISSUES = 100;

/** SQLite accepts a thousand conditions, and each value is one. */
const MAX_VALUES = 100;

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

/** A subject as `family:id`. */
export const subjectParameter = z
  .string()
  .transform((text, context): Subject => {
    const subject = parseSubjectName(text);
    if (subject !== undefined) return subject;
    context.addIssue({ code: 'custom', message: 'Write family:id, for example company:12' });
    return z.NEVER;
  })
  .describe('A subject, `family:id`, for example `company:12`.');

/** An instant as milliseconds since 1970. */
export const instantParameter = z.string().transform((text, context): number => {
  const dateTime = /^\d{4}-\d{2}-\d{2}$/u.test(text) ? `${text}T00:00:00Z` : text;
  const instant = normalizeInstant(dateTime);
  if (instant !== null) return Date.parse(`${instant.slice(0, 23)}Z`);
  context.addIssue({ code: 'custom', message: 'Write an ISO 8601 date or instant, for example 2026-11-21' });
  return z.NEVER;
});

/** A parameter with several values: repeated, or separated by commas. */
export const listParameter = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',') : value),
  z.array(z.string().min(1)).max(MAX_VALUES, `At most ${String(MAX_VALUES)} values`),
);

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
  const all = result.error.issues.flatMap(issuesOf);
  const issues = all.slice(0, MAX_ISSUES);
  const more =
    all.length > issues.length ? `: the first ${String(issues.length)} of ${String(all.length)} issues` : '';
  return c.json(
    { error: 'Bad Request', message: `Invalid parameters${more}`, issues } satisfies ErrorBody,
    400,
  );
}

function issuesOf(issue: z.core.$ZodIssue): { path: string; message: string }[] {
  const path = issue.path.map(String);
  // zod reports all unknown members of an object as one issue.
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'Unknown parameter' }));
  return [{ path: path.join('.'), message: issue.message }];
}
