/** Schedules, lists and drops steps of the scenario. */
import { keyedRandom } from '../keyed-random.ts';
import type { Change } from '../change.ts';
import { waits, type Wait } from './pace-and-odds.ts';
import type { Process } from './scenario-tables.ts';
import type { Kysely } from 'kysely';
import type { ProviderTables } from '../database/provider-tables.ts';

/**
 * Schedules the next step of a record in the transaction of the change that leads to it.
 * Replaces a step of the same process.
 *
 * @param when a wait of {@link waits}, or a time (ISO 8601).
 */
export async function scheduleStep(
  change: Change,
  process: Process,
  subjectId: number,
  when: Wait | { readonly at: string },
): Promise<void> {
  const { transaction, organization, at, seed } = change;
  const known = await transaction
    .selectFrom('scheduled_steps')
    .select('round')
    .where('process', '=', process)
    .where('subject_id', '=', subjectId)
    .executeTakeFirst();
  const round = known === undefined ? 0 : known.round + 1;
  const dueAt = typeof when === 'string' ? afterWait(at, when, `${process}:${String(subjectId)}`) : when.at;
  await transaction
    .insertInto('scheduled_steps')
    .values({ process, subject_id: subjectId, organization_id: organization, round, due_at: dueAt })
    .onConflict((conflict) =>
      conflict.columns(['process', 'subject_id']).doUpdateSet({ round, due_at: dueAt }),
    )
    .execute();
  change.touched.add('schedule');

  function afterWait(from: string, wait: Wait, key: string): string {
    const [shortest, longest] = waits[wait];
    const share = keyedRandom(seed, `${key}:${String(round)}:wait`)();
    return new Date(Date.parse(from) + Math.floor(shortest + share * (longest - shortest))).toISOString();
  }
}

/** Deletes the scheduled steps of a record, as when the record is deleted. */
export async function unscheduleSteps(
  { transaction }: Change,
  wanted: readonly Process[],
  subjectId: number,
): Promise<void> {
  await transaction
    .deleteFrom('scheduled_steps')
    .where('process', 'in', wanted)
    .where('subject_id', '=', subjectId)
    .execute();
}

/** Drops the scheduled step of a process that has ended. The count of its rounds stays. */
export async function cancelStep(
  { transaction, touched }: Change,
  process: Process,
  subjectId: number,
): Promise<void> {
  await transaction
    .updateTable('scheduled_steps')
    .set({ due_at: null })
    .where('process', '=', process)
    .where('subject_id', '=', subjectId)
    .execute();
  touched.add('schedule');
}

/** Drops overdue steps: what they would do has happened in another way. */
export async function skipOverdueSteps(
  { transaction, at }: Change,
  wanted: readonly Process[],
  subjectId: number,
): Promise<void> {
  await transaction
    .updateTable('scheduled_steps')
    .set({ due_at: null })
    .where('process', 'in', wanted)
    .where('subject_id', '=', subjectId)
    .where('due_at', '<', at)
    .execute();
}

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
