import { addDays, brazilianDay, startOfDay } from '../brazilian-day.ts';
import type { Change } from '../change.ts';

/** From now on a new organization's days come to an end: the first of them at the next midnight in Brazil. */
export async function beginDays({
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
