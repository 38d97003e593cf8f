import { z } from 'zod';
import { date } from '../field/date.ts';
import { isInstant, normalizeInstant } from '../instant.ts';

const ONE_VALUE = 'expected one value that is not empty';

/** Any text but the empty one, which is more likely a slip than a question. */
export const textValue = z.string({ error: ONE_VALUE }).min(1, { error: ONE_VALUE });

/** A record's numeric id. */
export const idValue = z
  .string({ error: ONE_VALUE })
  .regex(/^\d{1,15}$/, { error: 'expected a whole number' })
  .transform(Number);

export const truthValue = z
  .enum(['true', 'false'], { error: 'expected true or false' })
  .transform((text) => text === 'true');

/** `YYYY-MM-DD` */
export const dateValue = date;

/**
 * An ISO 8601 date-time, as an instant in UTC with milliseconds: `Z` or an
 * offset may be written, neither means UTC.
 */
export const instantValue = z.string({ error: ONE_VALUE }).transform((text, context): string => {
  const instant = normalizeInstant(text);
  if (instant !== null) return `${instant.slice(0, 'YYYY-MM-DDTHH:mm:ss.sss'.length)}Z`;
  context.addIssue({
    code: 'custom',
    message: 'expected an ISO 8601 date-time such as 2026-03-09T14:05:00Z',
  });
  return z.NEVER;
});

const PERIOD = 'expected YYYY-MM-DD or YYYY-MM-DD HH:mm:ss';

/** A day or a second in UTC, as timestamps within it begin: `2026-03-09`, `2026-03-09T14:05:00`. */
export const periodValue = z
  .string({ error: ONE_VALUE })
  .regex(/^\d{4}-\d\d-\d\d( \d\d:\d\d:[0-5]\d)?$/, { error: PERIOD })
  .transform((text) => text.replace(' ', 'T'))
  .refine((text) => isInstant(text.includes('T') ? text : `${text}T00:00`), { error: PERIOD });

/** One of a set that the specification lists. */
export function valueAmong<const Values extends readonly [string, ...string[]]>(
  values: Values,
): z.ZodType<Values[number], string> {
  return z.enum(values, {
    error: ({ input }) => (typeof input === 'string' ? `expected one of ${values.join(', ')}` : ONE_VALUE),
  });
}
