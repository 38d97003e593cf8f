/** The conditions that select events, deliveries and entries: one vocabulary for lists, plans, API and console. */
import { z } from 'zod';
import { normalizeInstant } from '../../contract/instant.ts';
import { parseSubjectName, type Subject } from '../../event/subject.ts';
import type { AuditFilter } from '../../store/audit.ts';
import type { DeliveryFilter, EventFilter, QuarantineFilter } from '../../store/queries.ts';
import { auditPlaceSchema, auditResultSchema } from '../audit-view.ts';
import { deliveryStatusSchema } from '../delivery-view.ts';
import { eventFlagSchema, verdictSchema } from '../event-view.ts';
import { quarantineReasonSchema } from '../quarantine-view.ts';

/** SQLite accepts a thousand conditions, and each value is one. */
const MAX_VALUES = 100;

const UTC = 'UTC unless it has an offset';

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
const listParameter = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',') : value),
  z.array(z.string().min(1)).max(MAX_VALUES, `At most ${String(MAX_VALUES)} values`),
);

/** The fingerprint of a kind of error, or of a problem. */
const fingerprintParameter = z.string().regex(/^[0-9a-f]{12}$/u, 'Write 12 hexadecimal digits');

/** The newest events whose payloads are searched for a company: about a second of reading. */
export const SEARCHED_FOR_COMPANY = 250_000;

/** The number of a company. */
export const companyParameter = z
  .string()
  .regex(/^\d{1,15}$/u, 'Write the number of a company, for example 12')
  .describe(
    `What belongs to this company: its logins, violations, charges and their slips, of which the newest ${SEARCHED_FOR_COMPANY.toLocaleString('en')} events have one.`,
  );

/** What a list or a plan says of the search for a company. */
export const ofCompany = {
  partial: z.boolean().optional().describe('Of a company, whether older events were not searched for it.'),
};

/** What selects deliveries, besides their ids and their status. */
export const deliveryConditions = {
  handler: z.string().optional().describe('The handler, the machine, or `<machine>/effects`.'),
  event_id: z.string().optional().describe('Deliveries of this event.'),
  subject: subjectParameter.optional(),
  company: companyParameter.optional(),
  source: z.string().optional().describe('Deliveries of events from this source.'),
  replay: z.string().optional().describe('Deliveries that this job replays, for example j3.'),
  error: fingerprintParameter
    .optional()
    .describe('Dead or unfinished, with this kind of error: its fingerprint.'),
};

/** What selects entries of the quarantine, besides their ids and their status. */
export const entryConditions = {
  source: z.string().optional().describe('Entries from this source.'),
  reason: quarantineReasonSchema.optional(),
  kind: z.string().optional().describe('Entries whose envelope has this `type`.'),
  subject: subjectParameter.optional(),
  problem: fingerprintParameter.optional().describe('Entries with this problem: its fingerprint.'),
};

/**
 * What selects events, besides their ids.
 *
 * @param instant reads a time: what people may write differs between the API, the console and the command line
 * @param time says what that is
 */
export function eventConditionsWith(instant: typeof instantParameter, time = UTC) {
  return {
    kind: listParameter.optional().describe('Kinds or wildcards such as `company.*`, any of them.'),
    subject: subjectParameter.optional(),
    source: z.string().optional().describe('Events from this source.'),
    verdict: verdictSchema.optional(),
    flag: eventFlagSchema.optional(),
    since: instant.optional().describe(`Received at or after this instant; ${time}.`),
    until: instant.optional().describe(`Received before this instant; ${time}.`),
    status: deliveryStatusSchema.optional().describe('Events with a delivery in this status.'),
  };
}

/**
 * What selects entries of the audit.
 *
 * @param instant as for events
 * @param time as for events
 */
export function auditConditionsWith(instant: typeof instantParameter, time = UTC) {
  return {
    since: instant.optional().describe(`At or after this instant; ${time}.`),
    until: instant.optional().describe(`Before this instant; ${time}.`),
    actor: z.string().optional().describe('By this person; `ana` also finds `ana@host`.'),
    action: z.string().optional().describe('This action, such as `retryDeliveries`.'),
    subject: z.string().optional().describe('About this id or filter, such as `d12` or `company:12`.'),
    place: auditPlaceSchema.optional(),
    result: auditResultSchema.optional(),
    unmasked: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .optional()
      .describe('Whether personal data was shown.'),
  };
}

/** What selects events by one delivery, besides its status. */
export const ofDelivery = {
  handler: listParameter
    .optional()
    .describe('Events with a delivery to one of these handlers, which meets `status` and `error`, too.'),
  error: fingerprintParameter
    .optional()
    .describe('Events with a dead or unfinished delivery with this kind of error: its fingerprint.'),
};

/** What selects events in the operators' API. */
export const eventConditions = { ...eventConditionsWith(instantParameter), ...ofDelivery };

type Parsed<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

export function deliveryFilter(given: Parsed<typeof deliveryConditions>): DeliveryFilter {
  const { handler, event_id: eventId, subject, company, source, replay, error } = given;
  return {
    ...(handler !== undefined && { handler }),
    ...(eventId !== undefined && { eventId }),
    ...(subject && { subject }),
    ...(company !== undefined && { company }),
    ...(source !== undefined && { source }),
    ...(replay !== undefined && { replay }),
    ...(error !== undefined && { error }),
  };
}

export function entryFilter(given: Parsed<typeof entryConditions>): QuarantineFilter {
  const { source, reason, kind, subject, problem } = given;
  return {
    ...(source !== undefined && { source }),
    ...(reason && { reason }),
    ...(kind !== undefined && { kind }),
    ...(subject !== undefined && { subject }),
    ...(problem !== undefined && { problem }),
  };
}

export function eventFilter(
  given: Parsed<ReturnType<typeof eventConditionsWith>> & { readonly company?: string | undefined },
): EventFilter {
  const { kind, subject, company, source, verdict, flag, since, until, status } = given;
  return {
    ...(kind && { kinds: kind }),
    ...(subject && { subject }),
    ...(company !== undefined && { company }),
    ...(source !== undefined && { source }),
    ...(verdict && { verdict }),
    ...(flag && { flag }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(status && { status }),
  };
}

/** Events by one of their deliveries. A command has other uses for the name of a handler. */
export function eventFilterOfDelivery(given: Parsed<typeof eventConditions>): EventFilter {
  const { handler, error } = given;
  return {
    ...eventFilter(given),
    ...(handler && { handlers: handler }),
    ...(error !== undefined && { error }),
  };
}

export function auditFilter(given: Parsed<ReturnType<typeof auditConditionsWith>>): AuditFilter {
  const { since, until, actor, action, subject, place, result, unmasked } = given;
  return {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(subject !== undefined && { subject }),
    ...(place && { place }),
    ...(result && { result }),
    ...(unmasked !== undefined && { unmasked }),
  };
}

/** Of requests to run deliveries again. */
export const includeOvertaken = {
  include_overtaken: z
    .boolean()
    .default(false)
    .describe('Run handlers with `stale: false` also where they handle a later event of the subject first.'),
};
