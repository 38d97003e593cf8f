import { addDays, brazilianDay, startOfDay } from '../brazilian-day.ts';
import type { Change } from '../change.ts';
import type { Selectable } from 'kysely';
import { scheduleStep } from '../scenario/schedule-step.ts';
import type { DayOverTables } from './day-over-tables.ts';
import { dueDateTasks, type DailyTask, closedWindowsTask } from './daily-tasks.ts';

/** From now on a new organization's days come to an end: the first of them at the next midnight in Brazil. */
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

/** Records in one transaction, in which nobody else can write. */
const BATCH = 100;

/** In the order in which a night brings them. */
const turns: readonly DailyTask[] = [...dueDateTasks, closedWindowsTask];

type Progress = Selectable<DayOverTables['days_over']>;

/**
 * A day is over in Brazil: what it was the last day of, ends. Goes as far as one
 * batch, and is scheduled for the next one, or for the next midnight.
 */
export async function stepDayOver(change: Change): Promise<void> {
  const progress = await begun(change);
  // By hand, in the middle of a day: there is nothing to end.
  const next = progress.day === progress.next_day ? progress : await goOn(change, progress);
  await keep(change, next);
  const isOver = next.day === next.next_day;
  await scheduleStep(change, 'day-over', change.organization, {
    at: isOver ? startOfDay(addDays(next.day, 1)) : change.at,
  });
}

async function begun({ transaction, organization, today }: Change): Promise<Progress> {
  const progress = await transaction
    .selectFrom('days_over')
    .selectAll()
    .where('organization_id', '=', organization)
    .executeTakeFirstOrThrow();
  return progress.day === progress.next_day ? { ...progress, next_day: today } : progress;
}

async function goOn(change: Change, progress: Progress): Promise<Progress> {
  const night = { since: progress.day, today: progress.next_day };
  let { turn, last_id } = progress;
  let left = BATCH;
  for (let current = turns[turn]; current !== undefined; current = turns[turn]) {
    const ids = await current.find(change, night, { after: last_id, limit: left });
    for (const id of ids) await current.bring(change, id);
    if (ids.length === left) return { ...progress, turn, last_id: ids.at(-1) ?? 0 };
    left -= ids.length;
    turn += 1;
    last_id = 0;
  }
  return { ...progress, day: progress.next_day, turn: 0, last_id: 0 };
}

async function keep({ transaction }: Change, progress: Progress): Promise<void> {
  const { organization_id, ...columns } = progress;
  await transaction
    .updateTable('days_over')
    .set(columns)
    .where('organization_id', '=', organization_id)
    .execute();
}
