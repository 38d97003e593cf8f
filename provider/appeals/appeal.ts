/** Appeals: their table and their record. */
import type { appealObjectTypes, appealStatuses, legalInstances } from '../../src/contract/record/appeal.ts';
import { id, integer, organization, reference, shown, table, text } from '../database/table.ts';
import { notFound } from '../http/http-error.ts';
import { records } from '../list/records.ts';

export type AppealStatus = (typeof appealStatuses)[number];
export type LegalInstance = (typeof legalInstances)[number];

export const appealTable = table(
  'appeals',
  {
    id,
    organization_id: organization,
    /** Id of the driver. */
    user_id: reference('drivers'),
    legal_instance: text<LegalInstance>(),
    status: text<AppealStatus>(),
    submitted_at: text(),
    created_at: text(),
    updated_at: text(),
    reference_object_id: integer(),
    reference_object_type: text<(typeof appealObjectTypes)[number]>(),
  },
  {
    also: `
    create index appeals_by_organization on appeals (organization_id);
    create index appeals_by_status on appeals (organization_id, status);
    create index appeals_by_reference on appeals (organization_id, reference_object_type, reference_object_id, status);`,
  },
);

export const appeals = records({
  tables: [appealTable],
  missing: (id) => notFound('Appeal', id),
  select: (query) => query.selectFrom('appeals').selectAll(),
  json: (row) => shown(appealTable, row),
  filters: { status: 'appeals.status' },
});
