import { z } from 'zod';
import { beginsWithDay } from './calendar.ts';
import { expected, expectedAmong } from './expected.ts';

const WHAT = 'a calendar date (YYYY-MM-DD)';

/**
 * A day without time, `YYYY-MM-DD`, that exists (specification, Conventions 7).
 * Stays a string: passed through `Date` it would move to another day in half of
 * the world's time zones, Brazil's among them.
 */
export const date = z
  .string({ error: expected(WHAT) })
  .refine(isDate, { error: expectedAmong(WHAT, 'string') })
  .meta({ format: 'date' });

function isDate(value: string): boolean {
  return value.length === 10 && beginsWithDay(value);
}
