/** Charges: their table, their record and their list. */
import { companyReference, companyReferenceColumns, companyTable } from '../companies/company.ts';
import {
  hidden,
  id,
  organization,
  realOrNull,
  reference,
  shown,
  table,
  text,
  textOrNull,
} from '../database/table.ts';
import { notFound } from '../http/http-error.ts';
import { records } from '../list/records.ts';

export type ChargeStatus = 'pending' | 'paid' | 'overdue';

export const chargeTable = table(
  'charges',
  {
    id,
    organization_id: organization,
    company_id: hidden(reference('companies')),
    external_uid: textOrNull(),
    code: textOrNull(),
    key: textOrNull(),
    description: textOrNull(),
    date: textOrNull(),
    due_date: textOrNull(),
    agency: textOrNull(),
    type: text<'fine' | 'fee' | 'tax'>(),
    status: text<ChargeStatus>(),
    amount: realOrNull(),
  },
  {
    also: `
    -- For lists without filters, ordered by id.
    create index charges_by_organization on charges (organization_id);
    -- Covering indexes: a list finds its ids in one index, whatever its other filters.
    create index charges_by_company on charges (organization_id, company_id, status, type, agency, due_date, date);
    create index charges_by_status on charges (organization_id, status, type, agency, company_id, due_date, date);
    create index charges_by_due_date on charges (organization_id, due_date, status, type, agency, company_id, date);
    create index charges_by_date on charges (organization_id, date, status, type, agency, company_id, due_date);
    create index charges_falling_due on charges (organization_id, due_date) where status = 'pending';`,
  },
);

export const charges = records({
  tables: [chargeTable, companyTable],
  missing: (id) => notFound('Charge', id),
  select: (query) =>
    query
      .selectFrom('charges')
      .innerJoin('companies', 'companies.id', 'charges.company_id')
      .selectAll('charges')
      .select(companyReferenceColumns),
  json: (row, audience) => ({ ...shown(chargeTable, row), company: companyReference(row, audience) }),
  filters: {
    date: 'charges.date',
    due_date: 'charges.due_date',
    status: 'charges.status',
    type: 'charges.type',
    agency: 'charges.agency',
    'company.external_uid': 'companies.external_uid',
  },
  list: (query, { conditions }) =>
    query
      .selectFrom('charges')
      // Only for filters that need it: the join costs a lookup per charge.
      .$if(
        conditions.some(({ field }) => field.startsWith('company.')),
        (some) => some.innerJoin('companies', 'companies.id', 'charges.company_id'),
      ),
});
