/** Groups of failures and of quarantined webhooks, as command line, API and console show them. */
import { z } from 'zod';
import { errorKind } from '../kernel/text/error-kind.ts';
import { maskText } from '../kernel/text/scrub.ts';
import type { FailureGroup, ProblemGroup } from '../store/plans.ts';
import { deliverySchema, deliveryView } from './delivery-view.ts';
import { instantText } from './instant-text.ts';
import { maskPath } from '../contract/personal-data.ts';
import { quarantineReasonSchema, quarantineSchema, quarantineView } from './quarantine-view.ts';
import type { Unmasking } from './payload/unmasking.ts';

export const failureGroupSchema = z
  .object({
    handler: z.string().describe('The handler, the machine, or `<machine>/effects`.'),
    error: z.string().describe('The fingerprint of the kind of error, for the filter `error` of deliveries.'),
    kind_of_error: z.string().describe('The error without numbers, ids, quotations and names.'),
    dead: z.int().min(0).describe('Deliveries that failed for good.'),
    failing: z
      .int()
      .min(0)
      .describe('Unfinished deliveries whose last attempt failed so; 1,000 at most are counted.'),
    subjects: z.int().min(1).describe('Their subjects: those of 1,000 deliveries at most.'),
    first_at: z.iso.datetime().describe('When it happened first, since nothing had failed so.'),
    last_at: z.iso.datetime().describe('When it happened last.'),
    sample: deliverySchema,
  })
  .meta({ id: 'FailureGroup', description: 'Failed deliveries of one handler with one kind of error.' });

export type FailureGroupView = z.infer<typeof failureGroupSchema>;

export function failureGroupView(group: FailureGroup, unmasking: Unmasking): FailureGroupView {
  return {
    handler: group.handler,
    error: group.error,
    kind_of_error: errorKind(group.sample.lastError ?? ''),
    dead: group.dead,
    failing: group.failing,
    subjects: group.subjects,
    first_at: instantText(group.firstAt),
    last_at: instantText(group.lastAt),
    sample: deliveryView(group.sample, unmasking),
  };
}

export const problemGroupSchema = z
  .object({
    problem: z
      .string()
      .describe('The fingerprint of the problem, for the filter `problem` of the quarantine.'),
    reason: quarantineReasonSchema,
    kind: z.string().nullable().describe('The envelope’s `type`, when it could be read.'),
    path: z.string().describe('Where; positions in lists are `*`.'),
    message: z.string().describe('What does not fit there, without values of the sender.'),
    entries: z.int().min(1).describe('Held entries.'),
    subjects: z.int().min(0).describe('Subjects that they name.'),
    repeats: z.int().min(0).describe('How often the same bytes came again.'),
    first_at: z.iso.datetime().describe('When the first of them arrived.'),
    last_at: z.iso.datetime().describe('When the last of them, or a repeat, arrived.'),
    sample: quarantineSchema,
  })
  .meta({ id: 'ProblemGroup', description: 'Held entries with the same problem.' });

export type ProblemGroupView = z.infer<typeof problemGroupSchema>;

export function problemGroupView(group: ProblemGroup): ProblemGroupView {
  const { issues, kind, message } = group.sample;
  const [issue] = issues;
  // What the contract expects is shown as it is. What came, and what a schema of one's own says, may be the sender's.
  const expected = /^(?:is required: )?expected [^\n]+/u
    .exec(issue?.message ?? '')?.[0]
    .replace(/(?<=, received )".*$/u, 'another string');
  return {
    problem: group.problem,
    reason: group.reason,
    kind,
    path: maskPath(issue?.path ?? '').replaceAll(/(?<=^|\.)\d+(?=\.|$)/gu, '*'),
    message: expected === undefined ? errorKind(issue?.message ?? message) : maskText(expected),
    entries: group.entries,
    subjects: group.subjects,
    repeats: group.repeats,
    first_at: instantText(group.firstAt),
    last_at: instantText(group.lastAt),
    sample: quarantineView(group.sample),
  };
}
