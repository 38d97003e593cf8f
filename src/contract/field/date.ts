import { z } from 'zod';
import { isCalendarDay } from './calendar.ts';
import { expected, expectedAmong } from './expected.ts';

const SHAPE = /^(\d{4})-(\d{2})-(\d{2})$/;
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
  const [, year, month, day] = SHAPE.exec(value) ?? [];
  return isCalendarDay(Number(year), Number(month), Number(day));
}
