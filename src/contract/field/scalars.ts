import { z } from 'zod';
import { expected, expectedAmong } from './expected.ts';

/** A record's numeric id: a whole number that a double holds exactly (specification, Conventions 9). */
export const recordId = z.int({ error: expectedAmong('a whole number up to 9007199254740991', 'number') });

/** Any text, the empty one included. */
export const text = z.string({ error: expected('a string') });

/** `true` or `false`, never text or 0 and 1. */
export const truth = z.boolean({ error: expected('true or false') });

/** Money in Brazilian reais, as the number that came (specification, Conventions 7). */
export const reais = z.number({ error: expected('a number (reais)') });

/** A decimal number of degrees, WGS 84 by all appearances; the specification names no datum. */
export const degrees = z.number({ error: expected('a number (degrees)') });

/** Counts tries, from 1. A count beyond its limit is an anomaly of the login, not of the payload. */
export const attemptCount = z
  .int({ error: expectedAmong('a whole number (a count)', 'number') })
  .min(0, { error: 'expected a whole number (a count), received a negative number' });
