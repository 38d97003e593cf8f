import type { Change } from '../change.ts';
import type { Draw } from '../scenario/draw.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { generateAgencies, generateViolation } from '../seed/generate-violation.ts';
import { addAgency, addTrafficViolation } from '../traffic-violations/change-traffic-violation.ts';
import { generatePlate } from '../seed/generate-identifiers.ts';
import { readImport, type CompanyImport } from './read-import.ts';

/** Imported in one go, at most. */
const MAX_AT_ONCE = 4;

/** An import goes on: vehicles first, then the violations of these, which are really added; at last it ends. */
export async function stepImport(change: Change, companyId: number, draw: Draw): Promise<void> {
  const { transaction, organization } = change;
  const row = await readImport(transaction, organization, companyId);
  if (row === undefined || row.outcome !== null) return;
  const numbers = draw.numbers('import');
  const vehicles = row.vehicles_total - row.vehicles_succeeded - row.vehicles_failed;
  const violations = row.violations_total - row.violations_succeeded - row.violations_failed;
  const wanted = 1 + Math.floor(numbers() * MAX_AT_ONCE);
  const count = Math.min(wanted, vehicles > 0 ? vehicles : violations);
  // All of one go share their luck: a portal that fails, fails for a moment.
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
  const next = advanced(row, vehicles > 0 ? 'vehicles' : 'violations', count, failed);
  await transaction
    .updateTable('company_imports')
    .set({ ...next, outcome: isDone ? outcomeOf({ ...row, ...next }) : null })
    .where('company_id', '=', companyId)
    .execute();
  change.touched.add('imports');
  if (!isDone) await scheduleStep(change, 'company-import', companyId, 'import goes on');
}

function advanced(row: CompanyImport, what: 'vehicles' | 'violations', count: number, failed: boolean) {
  const column = `${what}_${failed ? 'failed' : 'succeeded'}` as const;
  return { [column]: row[column] + count };
}

function outcomeOf(row: CompanyImport): 'success' | 'partial_success' | 'failure' {
  if (row.vehicles_failed + row.violations_failed === 0) return 'success';
  return row.vehicles_succeeded + row.violations_succeeded === 0 ? 'failure' : 'partial_success';
}
