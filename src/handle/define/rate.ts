/** The option `rate`: how often the code of a handler or of a machine's effects is called, in all processes together. */
import { z } from 'zod';
import { fields, mustBe, wholeNumber } from '../../contract/check-fields.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../kernel/time/durations.ts';

/** A limit of calls. Those that exceed it wait, and count no attempt. */
export interface RateLimit<E> {
  /** Calls in each `per`: a whole number from 1. */
  readonly limit: number;
  readonly per: 'second' | 'minute' | 'hour';
  /** Calls that may start at once after a time without any (default 1: evenly spaced). */
  readonly burst?: number;
  /** What has a limit of its own: each subject, each source, or each value of a function. By default all calls share it. */
  readonly key?: 'subject' | 'source' | ((event: E) => string);
  /** Names the limit, so that other definitions share it: `rate: 'erp'`. */
  readonly name?: string;
}

/** A limit, or the name of one that another definition has. */
export type RateOption<E> = RateLimit<E> | string;

/** How a definition is limited, with its events erased. Definitions that another copy of this package made may lack it. */
export interface Limited {
  readonly rate?: RateOption<StoredEvent> | undefined;
}

/** Milliseconds of each `per`. */
export const PER_MS = { second: SECOND_MS, minute: MINUTE_MS, hour: HOUR_MS };

const nameSchema = z.custom(
  (value) => typeof value === 'string' && /^[a-z0-9][a-z0-9-]*$/.test(value),
  mustBe('lower-case letters, digits and dashes, the first not a dash'),
);

const limitSchema = fields(
  {
    limit: wholeNumber(1),
    per: z.enum(['second', 'minute', 'hour'], mustBe('"second", "minute" or "hour"')),
    burst: wholeNumber(1).optional(),
    key: z
      .custom(
        (value) => value === 'subject' || value === 'source' || typeof value === 'function',
        mustBe('"subject", "source" or a function of the event'),
      )
      .optional(),
    name: nameSchema.optional(),
  },
  'an object {limit, per}, or the name of a rate that another definition has',
);

/** Accepts a `RateOption`. */
export const rateSchema = z.unknown().superRefine((value, context) => {
  const { error } = (typeof value === 'string' ? nameSchema : limitSchema).safeParse(value);
  for (const { path, message } of error?.issues ?? [])
    context.addIssue({ code: 'custom', path: [...path], message });
});
