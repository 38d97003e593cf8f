/** Holds and plans of erasures, as the private port shows them. */
import { z } from 'zod';
import { maskText } from '../../kernel/text/scrub.ts';
import type { ErasureRun } from '../../privacy/serve/erasures.ts';
import type { ErasurePlan } from '../../privacy/serve/erasure-plan.ts';
import { contentPlaces, type Hold } from '../../store/privacy.ts';
import { findingView, holdView } from './finding-view.ts';
import { instantText } from '../instant-text.ts';

const count = z.int().min(0);

export const holdSchema = z
  .object({
    subject: z.string().describe('What is held, `family:id`.'),
    reason: z.string().describe('Why, with likely personal data replaced.'),
    placed_by: z.string().describe('Who placed it.'),
    placed_at: z.iso.datetime().describe('Since when.'),
  })
  .meta({ id: 'Hold', description: 'A subject whose content is neither erased nor pruned.' });

const rowsSchema = z
  .object(
    Object.fromEntries(contentPlaces.map((place) => [place, count.describe(`Rows of the place ${place}.`)])),
  )
  .describe('Rows that would change, by place.');

const findingSchema = z.object({
  place: z.string().describe('The kind of row.'),
  id: z.string().describe('Its id.'),
  kind: z.string().nullable().describe('The kind of its event.'),
  subject: z.string().nullable().describe('The subject of its event.'),
  source: z.string().nullable().describe('The source of its event.'),
  at: z.iso.datetime().nullable().describe('When it was received or last written.'),
  fields: z.array(z.string()).describe('Where it names the person.'),
});

const planSchema = z.object({
  plan: z.string().describe('Signed. It starts the erasure, with the same identifiers, until it expires.'),
  expires_at: z.iso.datetime().describe('When it cannot be started any more.'),
  identified_by: z
    .record(z.string(), count)
    .describe('How many identifiers of each type name the person, those that were found included.'),
  rows: rowsSchema,
  held_rows: count.describe('Rows of other held subjects that name the person, and would stay.'),
  holds: z.array(holdSchema).describe('Holds of the person. With one, nothing can be erased.'),
  kinds: z
    .array(
      z.object({
        place: z.string().describe('The kind of row.'),
        kind: z.string().nullable().describe('The kind of event.'),
        rows: count.describe('Rows that would change.'),
        erased: z.array(z.string()).describe('Fields that would be erased.'),
        kept: z.array(z.string()).describe('Fields that would stay.'),
      }),
    )
    .describe('What would change, by place and kind of event.'),
  findings: z.array(findingSchema).describe('The first 50 rows.'),
});

export const erasureRunSchema = z
  .object({
    id: z.string().describe('Names the plan in this process.'),
    state: z
      .enum(['searching', 'planned', 'erasing', 'finished', 'unfinished', 'failed'])
      .describe('How far it is. A large store is searched for minutes: ask again.'),
    read: z
      .object({
        place: z.enum(contentPlaces).describe('The kind of rows.'),
        rows: count.describe('So many were read.'),
      })
      .nullable()
      .describe('What is being read; null while nothing is.'),
    plan: planSchema.nullable().describe('What would be erased; null unless the state is `planned`.'),
    erasure: z.string().nullable().describe('The erasure, `x` and a number; null before it has begun.'),
    problem: z.string().nullable().describe('Why it failed or is not finished; null otherwise.'),
  })
  .meta({ id: 'ErasureRun', description: 'The search for a person, and their erasure.' });

export type ErasureRunView = z.infer<typeof erasureRunSchema>;

/** A hold as those see it who may view. */
export function shownHold(hold: Hold): z.infer<typeof holdSchema> {
  return { ...holdView(hold), reason: maskText(hold.reason) };
}

export function erasureRunView({ id, state, read, plan, erasure, ...run }: ErasureRun): ErasureRunView {
  return {
    ...{ id, state, read, erasure },
    plan: plan === null || state !== 'planned' ? null : planView(plan),
    problem: run.unfinished === null ? run.problem : run.unfinished.reasons.join('; '),
  };
}

function planView(plan: ErasurePlan): NonNullable<ErasureRunView['plan']> {
  return {
    plan: plan.plan,
    expires_at: instantText(plan.expiresAt),
    identified_by: plan.identifiedBy,
    rows: plan.rows,
    held_rows: plan.heldRows,
    holds: plan.holds.map(shownHold),
    kinds: plan.kinds.map(({ erased, kept, ...kind }) => ({ ...kind, erased: [...erased], kept: [...kept] })),
    findings: plan.findings.map((finding) => {
      const { values: _, fields, ...row } = findingView(finding, { unmask: false });
      return { ...row, fields: [...fields] };
    }),
  };
}
