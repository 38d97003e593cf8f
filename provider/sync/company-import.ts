/** The first import of a company's data. */
import type { Change } from '../change.ts';
import { keyedRandom } from '../keyed-random.ts';
import type { Draw } from '../scenario/pace-and-odds.ts';
import { scheduleStep, unscheduleSteps } from '../scenario/schedule-step.ts';
import { generatePlate } from '../seed/generate-identifiers.ts';
import { generateAgencies, generateViolation } from '../seed/generate-violation.ts';
import { addAgency, addTrafficViolation } from '../traffic-violations/change-traffic-violation.ts';
import { type CompanyImport, companyImports } from './company-imports.ts';

/** Minimum and maximum number of vehicles in an import. */
const VEHICLES = [4, 30] as const;
/** Minimum and maximum number of violations in an import. */
const VIOLATIONS = [10, 80] as const;

/** Starts the import of a company's data after its first login. Later logins start none. */
export async function startFirstImport(change: Change, companyId: number): Promise<void> {
  const { transaction, organization, at, seed } = change;
  const random = keyedRandom(seed, `company-import:${String(companyId)}:size`);
  const between = ([min, max]: readonly [number, number]) => min + Math.floor(random() * (max - min + 1));
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

/** Maximum number of records in one step. */
const MAX_STEP = 4;

/** Performs one step of an import: counts vehicles first, then adds their violations, and ends with an outcome. */
export async function stepImport(change: Change, companyId: number, draw: Draw): Promise<void> {
  const { transaction, organization } = change;
  const row = await companyImports.find(transaction, organization, companyId);
  if (row === undefined || row.outcome !== null) return;
  const numbers = draw.numbers('import');
  const vehicles = row.vehicles_total - row.vehicles_succeeded - row.vehicles_failed;
  const violations = row.violations_total - row.violations_succeeded - row.violations_failed;
  const wanted = 1 + Math.floor(numbers() * MAX_STEP);
  const count = Math.min(wanted, vehicles > 0 ? vehicles : violations);
  // All records of a step fail together: a portal is down for a moment.
  const failed = draw.happens('import of a record fails');
  const isDone = vehicles === 0 && violations === count;

  if (vehicles === 0 && !failed) {
    for (const agency of generateAgencies()) await addAgency(change, agency);
    for (let at = 0; at < count; at += 1) {
      const plates = draw.numbers(`vehicle ${String(Math.floor(numbers() * row.vehicles_total))}`);
      const invented = generateViolation(numbers, { today: change.today, plate: generatePlate(plates) });
      await addTrafficViolation(change, { ...invented, company_id: companyId });
    }
  }
  const next = countersAfter(row, vehicles > 0 ? 'vehicles' : 'violations', count, failed);
  await transaction
    .updateTable('company_imports')
    .set({ ...next, outcome: isDone ? outcomeOf({ ...row, ...next }) : null })
    .where('company_id', '=', companyId)
    .execute();
  change.touched.add('imports');
  if (!isDone) await scheduleStep(change, 'company-import', companyId, 'import goes on');
}

function countersAfter(row: CompanyImport, what: 'vehicles' | 'violations', count: number, failed: boolean) {
  const column = `${what}_${failed ? 'failed' : 'succeeded'}` as const;
  return { [column]: row[column] + count };
}

function outcomeOf(row: CompanyImport): 'success' | 'partial_success' | 'failure' {
  if (row.vehicles_failed + row.violations_failed === 0) return 'success';
  return row.vehicles_succeeded + row.violations_succeeded === 0 ? 'failure' : 'partial_success';
}

/** Ends the first import of a company at once, as a success, and unschedules its steps. */
export async function finishImport(change: Change, companyId: number): Promise<void> {
  await change.transaction
    .updateTable('company_imports')
    .set((row) => ({
      vehicles_succeeded: row.ref('vehicles_total'),
      violations_succeeded: row.ref('violations_total'),
      outcome: 'success',
    }))
    .where('company_id', '=', companyId)
    .where('organization_id', '=', change.organization)
    .execute();
  change.touched.add('imports');
  await unscheduleSteps(change, ['company-import'], companyId);
}
