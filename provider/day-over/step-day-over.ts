/** What the provider does at midnight. */
import type { Selectable } from 'kysely';
import { addDays, brazilianDay, startOfDay } from '../brazilian-day.ts';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { dailyTasks } from './daily-tasks.ts';

/** Records per step: one transaction, which blocks other writers. */
const BATCH = 100;

type Progress = Selectable<ProviderTables['days_over']>;

/** Starts the daily tasks of a new organization. The first run is at the next midnight in Brazil. */
export async function startDayOver({
  transaction,
  organization,
  at,
}: Pick<Change, 'transaction' | 'organization' | 'at'>): Promise<void> {
  const today = brazilianDay(Date.parse(at));
  await transaction
    .insertInto('days_over')
    .values({ organization_id: organization, day: today, next_day: today, turn: 0, last_id: 0 })
    .execute();
  await transaction
    .insertInto('scheduled_steps')
    .values({
      process: 'day-over',
      subject_id: organization,
      organization_id: organization,
      round: 0,
      due_at: startOfDay(addDays(today, 1)),
    })
    .execute();
}

/**
 * Runs the daily tasks for one batch of records. Schedules the next batch for
 * now, or the next run for midnight in Brazil when all records are processed.
 */
export async function stepDayOver(change: Change): Promise<void> {
  const progress = await readProgress(change);
  // A step triggered by hand during the day finds nothing to do.
  const next = progress.day === progress.next_day ? progress : await processBatch(change, progress);
  await writeProgress(change, next);
  const isDone = next.day === next.next_day;
  await scheduleStep(change, 'day-over', change.organization, {
    at: isDone ? startOfDay(addDays(next.day, 1)) : change.at,
  });
}

/** Reads how far the current run is. A new run starts when none is unfinished. */
async function readProgress({ transaction, organization, today }: Change): Promise<Progress> {
  const progress = await transaction
    .selectFrom('days_over')
    .selectAll()
    .where('organization_id', '=', organization)
    .executeTakeFirstOrThrow();
  return progress.day === progress.next_day ? { ...progress, next_day: today } : progress;
}

async function processBatch(change: Change, progress: Progress): Promise<Progress> {
  const days = { since: progress.day, today: progress.next_day };
  let { turn, last_id } = progress;
  let left = BATCH;
  for (let task = dailyTasks[turn]; task !== undefined; task = dailyTasks[turn]) {
    const ids = await task.find(change, days, { after: last_id, limit: left });
    for (const id of ids) await task.apply(change, id);
    if (ids.length === left) return { ...progress, turn, last_id: ids.at(-1) ?? 0 };
    left -= ids.length;
    turn += 1;
    last_id = 0;
  }
  return { ...progress, day: progress.next_day, turn: 0, last_id: 0 };
}

async function writeProgress({ transaction }: Change, progress: Progress): Promise<void> {
  const { organization_id, ...columns } = progress;
  await transaction
    .updateTable('days_over')
    .set(columns)
    .where('organization_id', '=', organization_id)
    .execute();
}
