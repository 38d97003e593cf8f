import type { Kysely } from 'kysely';
import type { ProviderTables } from '../database/provider-tables.ts';
import type { Process, ScenarioTables } from './scenario-tables.ts';

/** Something that is to happen. */
export type DueStep = ScenarioTables['scheduled_steps'] & { readonly due_at: string };

/** All that is to come, in the order in which it happens. */
export function selectSteps(query: Kysely<ProviderTables>) {
  return query
    .selectFrom('scheduled_steps')
    .selectAll()
    .where('due_at', 'is not', null)
    .$narrowType<{ due_at: string }>()
    .orderBy('due_at')
    .orderBy('process')
    .orderBy('subject_id');
}

/** What comes first. */
export function nextStep(query: Kysely<ProviderTables>): Promise<DueStep | undefined> {
  return selectSteps(query).limit(1).executeTakeFirst();
}

/** What is scheduled for a record, if anything is. */
export function findStep(
  query: Kysely<ProviderTables>,
  process: Process,
  subjectId: number,
): Promise<DueStep | undefined> {
  return selectSteps(query)
    .where('process', '=', process)
    .where('subject_id', '=', subjectId)
    .executeTakeFirst();
}
