/** Reads ANTT violations. */
import type { Kysely, Selectable } from 'kysely';
import {
  companyReference,
  companyReferenceColumns,
  type Audience,
  type CompanyReferenceColumns,
} from '../companies/company-reference.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { notFound } from '../http/http-error.ts';
import { inOrganization } from '../list/in-organization.ts';
import type { AnttViolationTables } from './antt-violation-tables.ts';

/** The columns of the company. All are null for a violation without one. */
type CompanyColumns = { readonly [K in keyof CompanyReferenceColumns]: CompanyReferenceColumns[K] | null };
type Row = Selectable<AnttViolationTables['antt_violations']> & CompanyColumns;

function selectRecords(query: Kysely<ProviderTables>, organization: number) {
  return query
    .selectFrom('antt_violations')
    .leftJoin('companies', 'companies.id', 'antt_violations.company_id')
    .where(inOrganization('antt_violations.organization_id', organization))
    .selectAll('antt_violations')
    .select(companyReferenceColumns);
}

/** Reads one violation, for a response or a webhook. @throws HttpError 404 */
export async function readAnttViolation(
  query: Kysely<ProviderTables>,
  organization: number,
  id: number,
  audience: Audience = 'response',
) {
  const row = await selectRecords(query, organization)
    .where('antt_violations.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw notFound('ANTT violation', id);
  return violationRecord(row, audience);
}

/** Reads the violations with these ids, ordered by id. */
export async function readAnttViolations(
  query: Kysely<ProviderTables>,
  organization: number,
  ids: readonly number[],
) {
  const rows = await selectRecords(query, organization)
    .where('antt_violations.id', 'in', ids)
    .orderBy('antt_violations.id')
    .execute();
  return rows.map((row) => violationRecord(row, 'response'));
}

function violationRecord(row: Row, audience: Audience) {
  return {
    id: row.id,
    external_uid: row.external_uid,
    code: row.code,
    key: row.key,
    description: row.description,
    location: row.location,
    license_plate: row.license_plate,
    date: row.date,
    due_date: row.due_date,
    penalty_notice_date: row.penalty_notice_date,
    synced_at: row.synced_at,
    type: row.type,
    status: row.status,
    amount: row.amount,
    company: hasCompany(row) ? companyReference(row, audience) : null,
  };
}

function hasCompany(row: CompanyColumns): row is CompanyReferenceColumns {
  return row.company_id !== null;
}
