/** Companies: their table, and how responses, webhooks and other records show them. */
import type { Kysely } from 'kysely';
import { id, organization, table, text, textOrNull, type TablesOf } from '../database/table.ts';
import { notFound } from '../http/http-error.ts';
import { type Audience, records } from '../list/records.ts';
import { loginBlock, loginColumns, loginTable } from '../login/login.ts';
import { sneBlock, sneColumns, sneTable } from '../sne/sne.ts';

export type CertificateStatus = 'valid' | 'expired' | 'not_provided';

export const companyTable = table(
  'companies',
  {
    id,
    organization_id: organization,
    tax_id: text(),
    name: text(),
    login_username: textOrNull(),
    external_uid: textOrNull(),
    certificate_status: text<CertificateStatus>(),
    certificate_issue_date: textOrNull(),
    certificate_expiration_date: textOrNull(),
    address: textOrNull(),
    city: textOrNull(),
    state: textOrNull(),
    postal_code: textOrNull(),
    created_at: text(),
    updated_at: text(),
  },
  {
    constraints: ['unique (organization_id, tax_id)'],
    also: 'create index companies_by_external_uid on companies (organization_id, external_uid);',
  },
);

export const companies = records({
  tables: [companyTable, loginTable, sneTable],
  missing: (id) => notFound('Company', id),
  select: (query) =>
    joined(query)
      .selectAll('companies')
      .select([...loginColumns, ...sneColumns]),
  json: (row) => ({
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
  }),
  filters: {
    name: 'companies.name',
    tax_id: 'companies.tax_id',
    'sne.status': 'sne_registrations.status',
    'certificate.status': 'companies.certificate_status',
    external_uid: 'companies.external_uid',
  },
  list: (query) => joined(query),
});

/** Companies with their login and their SNE registration. */
function joined(query: Kysely<TablesOf<typeof companyTable | typeof loginTable | typeof sneTable>>) {
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

/** The columns of a joined row that hold the company of a record. */
export const companyReferenceColumns = [
  'companies.id as company_id',
  'companies.external_uid as company_external_uid',
  'companies.name as company_name',
  'companies.tax_id as company_tax_id',
] as const;

interface CompanyReference {
  readonly company_id: number;
  readonly company_external_uid: string | null;
  readonly company_name: string;
  readonly company_tax_id: string;
}

/** Builds the `company` field of a record. */
export function companyReference(row: CompanyReference, audience: Audience) {
  return {
    id: row.company_id,
    external_uid: row.company_external_uid,
    ...(audience === 'webhook' && { tax_id: row.company_tax_id }),
    name: row.company_name,
  };
}

/** Builds the `company` field of a record that may have none. */
export function optionalCompanyReference(
  row: { readonly [Name in keyof CompanyReference]: CompanyReference[Name] | null },
  audience: Audience,
) {
  const { company_id, company_external_uid, company_name, company_tax_id } = row;
  if (company_id === null || company_name === null || company_tax_id === null) return null;
  return companyReference({ company_id, company_external_uid, company_name, company_tax_id }, audience);
}
