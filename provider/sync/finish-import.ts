import type { Change } from '../change.ts';
import { unscheduleSteps } from '../scenario/schedule-step.ts';

/** The first import of a company is over at once, without failures. Nothing more of it is scheduled. */
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
