import { z } from 'zod';
import { INSTANT_PATTERN, isInstant } from '../instant.ts';
import { expected, expectedAmong } from './expected.ts';

const WHAT = 'an ISO 8601 date-time (such as 2026-03-09T14:05:00.000Z)';

/**
 * An instant, ISO 8601, in UTC when it names no offset (specification,
 * Conventions 7). Stays the string that came; compare with `normalizeInstant`.
 */
export const timestamp = z
  .string({ error: expected(WHAT) })
  .refine(isInstant, { error: expectedAmong(WHAT, 'string') })
  // Not `format: date-time`, which demands an offset.
  .meta({ pattern: INSTANT_PATTERN });
