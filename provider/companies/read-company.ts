/** Reads companies. */
import type { Kysely, Selectable } from 'kysely';
import type { ProviderTables } from '../database/provider-tables.ts';
import { notFound } from '../http/http-error.ts';
import { inOrganization } from '../list/in-organization.ts';
import { loginBlock, loginColumns, type LoginColumns } from '../login/read-login.ts';
import { sneBlock, sneColumns, type SneColumns } from '../sne/read-sne.ts';
import type { CompanyTables } from './company-tables.ts';

type Row = Selectable<CompanyTables['companies']> & LoginColumns & SneColumns;

/** Companies with their login and their SNE registration. */
function joinCompanies(query: Kysely<ProviderTables>) {
  return query
    .selectFrom('companies')
    .innerJoin('logins', (join) =>
      join.onRef('logins.owner_id', '=', 'companies.id').on('logins.owner_kind', '=', 'company'),
    )
    .innerJoin('sne_registrations', (join) =>
      join
        .onRef('sne_registrations.owner_id', '=', 'companies.id')
        .on('sne_registrations.owner_kind', '=', 'company'),
    );
}

/** Selects the companies of an organization, for filters. */
export function selectCompanies(query: Kysely<ProviderTables>, organization: number) {
  return joinCompanies(query).where('companies.organization_id', '=', organization);
}

function selectCompaniesRecords(query: Kysely<ProviderTables>, organization: number) {
  return joinCompanies(query)
    .where(inOrganization('companies.organization_id', organization))
    .selectAll('companies')
    .select([...loginColumns, ...sneColumns]);
}

const findCompany = (query: Kysely<ProviderTables>, organization: number, id: number) =>
  selectCompaniesRecords(query, organization).where('companies.id', '=', id).executeTakeFirst();

/** Reads a whole company, as detail, list and webhooks show it. @throws HttpError 404 */
export async function readCompany(query: Kysely<ProviderTables>, organization: number, id: number) {
  const row = await findCompany(query, organization, id);
  if (row === undefined) throw notFound('Company', id);
  return companyRecord(row);
}

/** Reads companies by id, in ascending order of id. */
export async function readCompanies(
  query: Kysely<ProviderTables>,
  organization: number,
  ids: readonly number[],
) {
  const rows = await selectCompaniesRecords(query, organization)
    .where('companies.id', 'in', ids)
    .orderBy('companies.id')
    .execute();
  return rows.map(companyRecord);
}

function companyRecord(row: Row) {
  return {
    id: row.id,
    tax_id: row.tax_id,
    name: row.name,
    login_username: row.login_username,
    external_uid: row.external_uid,
    sne: sneBlock(row),
    certificate: {
      status: row.certificate_status,
      issue_date: row.certificate_issue_date,
      expiration_date: row.certificate_expiration_date,
    },
    login: loginBlock(row),
    address: {
      address: row.address,
      city: row.city,
      state: row.state,
      postal_code: row.postal_code,
    },
    organization: { id: row.organization_id },
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
