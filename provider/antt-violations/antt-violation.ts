/** ANTT violations: their table, their record and their list. */
import type { anttViolationStatuses, anttViolationTypes } from '../../src/contract/record/antt-violation.ts';
import { companyReferenceColumns, companyTable, optionalCompanyReference } from '../companies/company.ts';
import {
  hidden,
  id,
  organization,
  realOrNull,
  referenceOrNull,
  shown,
  table,
  text,
  textOrNull,
} from '../database/table.ts';
import { notFound } from '../http/http-error.ts';
import { records } from '../list/records.ts';

export type AnttViolationStatus = (typeof anttViolationStatuses)[number];

export const anttViolationTable = table(
  'antt_violations',
  {
    id,
    organization_id: organization,
    /** Null until the agency names the company. */
    company_id: hidden(referenceOrNull('companies')),
    external_uid: textOrNull(),
    code: textOrNull(),
    key: textOrNull(),
    description: textOrNull(),
    location: textOrNull(),
    license_plate: textOrNull(),
    date: textOrNull(),
    due_date: textOrNull(),
    penalty_notice_date: textOrNull(),
    synced_at: text(),
    type: text<(typeof anttViolationTypes)[number]>(),
    status: text<AnttViolationStatus>(),
    amount: realOrNull(),
  },
  {
    also: `
    -- For lists without filters, ordered by id.
    create index antt_violations_by_organization on antt_violations (organization_id);
    -- Covering indexes: a list finds its ids in one index, whatever its other filters.
    create index antt_violations_by_company
      on antt_violations (organization_id, company_id, status, type, due_date, date, penalty_notice_date, license_plate);
    create index antt_violations_by_status
      on antt_violations (organization_id, status, type, company_id, due_date, date, penalty_notice_date, license_plate);
    create index antt_violations_by_type
      on antt_violations (organization_id, type, company_id, status, due_date, date, penalty_notice_date, license_plate);
    create index antt_violations_by_license_plate
      on antt_violations (organization_id, license_plate, status, type, company_id, due_date, date, penalty_notice_date);
    create index antt_violations_by_due_date
      on antt_violations (organization_id, due_date, status, type, company_id, date, penalty_notice_date, license_plate);
    create index antt_violations_by_date
      on antt_violations (organization_id, date, status, type, company_id, due_date, penalty_notice_date, license_plate);
    create index antt_violations_by_penalty_notice_date
      on antt_violations (organization_id, penalty_notice_date, status, type, company_id, due_date, date, license_plate);
    create index antt_violations_falling_due on antt_violations (organization_id, due_date) where status = 'pending';`,
  },
);

/** The filters that need a join, which costs a lookup per record. */
const companyFilters = {
  'company.external_uid': 'companies.external_uid',
  'company.tax_id': 'companies.tax_id',
};

export const anttViolations = records({
  tables: [anttViolationTable, companyTable],
  missing: (id) => notFound('ANTT violation', id),
  select: (query) =>
    query
      .selectFrom('antt_violations')
      .leftJoin('companies', 'companies.id', 'antt_violations.company_id')
      .selectAll('antt_violations')
      .select(companyReferenceColumns),
  json: (row, audience) => ({
    ...shown(anttViolationTable, row),
    company: optionalCompanyReference(row, audience),
  }),
  filters: {
    date: 'antt_violations.date',
    due_date: 'antt_violations.due_date',
    penalty_notice_date: 'antt_violations.penalty_notice_date',
    status: 'antt_violations.status',
    type: 'antt_violations.type',
    license_plate: 'antt_violations.license_plate',
    'company.id': 'antt_violations.company_id',
    ...companyFilters,
  },
  list: (query, { conditions }) =>
    query.selectFrom('antt_violations').$if(
      conditions.some(({ field }) => field in companyFilters),
      (some) => some.leftJoin('companies', 'companies.id', 'antt_violations.company_id'),
    ),
});
