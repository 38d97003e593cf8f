import { z } from 'zod';
import { expectedAmong } from './expected.ts';

/** Text with at least one character; `what` says what, in the messages. */
export function nonEmpty(what: string): z.ZodString {
  const error = expectedAmong(what, 'string');
  // Not `.min(1)`, which also speaks up about an empty array.
  return z
    .string({ error })
    .refine((value) => value !== '', { error })
    .meta({ minLength: 1 });
}
