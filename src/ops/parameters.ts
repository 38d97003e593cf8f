import { z } from 'zod';
import { normalizeInstant } from '../contract/instant.ts';
import { parseSubjectName, type Subject } from '../event/subject.ts';

/** `family:id` */
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

/** Each is a condition of its own, and SQLite joins a thousand at most. */
const MAX_VALUES = 100;

/** A parameter that may be given more than once, or once with commas. */
export const listParameter = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',') : value),
  z.array(z.string().min(1)).max(MAX_VALUES, `At most ${String(MAX_VALUES)} values`),
);

export const unmaskParameter = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')
  .describe('Show personal data as it is.');
