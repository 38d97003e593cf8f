/** Reads charges. */
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
import type { ChargeTables } from './charge-tables.ts';

type Row = Selectable<ChargeTables['charges']> & CompanyReferenceColumns;

function selectCharges(query: Kysely<ProviderTables>, organization: number) {
  return query
    .selectFrom('charges')
    .innerJoin('companies', 'companies.id', 'charges.company_id')
    .where(inOrganization('charges.organization_id', organization))
    .selectAll('charges')
    .select(companyReferenceColumns);
}

/** Reads one charge, for a response or a webhook. @throws HttpError 404 */
export async function readCharge(
  query: Kysely<ProviderTables>,
  organization: number,
  id: number,
  audience: Audience = 'response',
) {
  const row = await selectCharges(query, organization).where('charges.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('Charge', id);
  return chargeRecord(row, audience);
}

/** Reads the charges with these ids, ordered by id. */
export async function readCharges(
  query: Kysely<ProviderTables>,
  organization: number,
  ids: readonly number[],
) {
  const rows = await selectCharges(query, organization)
    .where('charges.id', 'in', ids)
    .orderBy('charges.id')
    .execute();
  return rows.map((row) => chargeRecord(row, 'response'));
}

function chargeRecord(row: Row, audience: Audience) {
  return {
    id: row.id,
    external_uid: row.external_uid,
    code: row.code,
    key: row.key,
    description: row.description,
    date: row.date,
    due_date: row.due_date,
    agency: row.agency,
    type: row.type,
    status: row.status,
    amount: row.amount,
    company: companyReference(row, audience),
  };
}
