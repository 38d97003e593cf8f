/** Schemas of days and instants. */
import { z } from 'zod';
import { INSTANT_PATTERN, isInstant, startsWithDay } from '../instant.ts';
import { expected, expectedAmong } from './expected.ts';

const DATE = 'a calendar date (YYYY-MM-DD)';

/**
 * An existing day without a time, `YYYY-MM-DD` (specification, Conventions 7). It stays a string: a `Date`
 * would move it to another day in half of the world's time zones, Brazil's among them.
 */
export const date = z
  .string({ error: expected(DATE) })
  .refine(isDate, { error: expectedAmong(DATE, 'string') })
  .meta({ format: 'date' });

function isDate(value: string): boolean {
  return value.length === 10 && startsWithDay(value);
}

const TIMESTAMP = 'an ISO 8601 date-time (such as 2026-03-09T14:05:00.000Z)';

/**
 * An instant in ISO 8601, in UTC unless it names an offset (specification, Conventions 7). It stays the string
 * that was sent; compare instants with `normalizeInstant`.
 */
export const timestamp = z
  .string({ error: expected(TIMESTAMP) })
  .refine(isInstant, { error: expectedAmong(TIMESTAMP, 'string') })
  // Not `format: date-time`, which requires an offset.
  .meta({ pattern: INSTANT_PATTERN });
