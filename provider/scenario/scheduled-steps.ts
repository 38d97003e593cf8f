/** Selects scheduled steps of the scenario. */
import type { Kysely } from 'kysely';
import type { ProviderTables } from '../database/provider-tables.ts';
import type { Process } from './scenario-tables.ts';

/** A step that is scheduled. */
export type DueStep = ProviderTables['scheduled_steps'] & { readonly due_at: string };

/** Selects the scheduled steps, in the order of their due times. */
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

/** Reads the step that is due next. */
export function nextStep(query: Kysely<ProviderTables>): Promise<DueStep | undefined> {
  return selectSteps(query).limit(1).executeTakeFirst();
}

/** Reads the scheduled step of a record. */
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
