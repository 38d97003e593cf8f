import { keyedRandom } from '../keyed-random.ts';
import type { Change } from '../change.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';

/** How many there are to import, fewest and most. */
const VEHICLES = [4, 30] as const;
const VIOLATIONS = [10, 80] as const;

/** A company has signed in for the first time: what the portal has of it is imported. Later times change nothing. */
export async function startFirstImport(change: Change, companyId: number): Promise<void> {
  const { transaction, organization, at, seed } = change;
  const random = keyedRandom(seed, `company-import:${String(companyId)}:size`);
  const between = ([fewest, most]: readonly [number, number]) =>
    fewest + Math.floor(random() * (most - fewest + 1));
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('company_imports')
    .values({
      company_id: companyId,
      organization_id: organization,
      started_at: at,
      outcome: null,
      vehicles_total: between(VEHICLES),
      vehicles_succeeded: 0,
      vehicles_failed: 0,
      violations_total: between(VIOLATIONS),
      violations_succeeded: 0,
      violations_failed: 0,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 1n)
    await scheduleStep(change, 'company-import', companyId, 'import goes on');
}
