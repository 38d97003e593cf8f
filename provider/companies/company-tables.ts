/** The tables of companies. */
import type { Generated } from 'kysely';
import type { Migration } from '../database/migration.ts';

export type CertificateStatus = 'valid' | 'expired' | 'not_provided';

export interface CompanyTables {
  companies: {
    id: Generated<number>;
    organization_id: number;
    tax_id: string;
    name: string;
    login_username: string | null;
    external_uid: string | null;
    certificate_status: CertificateStatus;
    certificate_issue_date: string | null;
    certificate_expiration_date: string | null;
    address: string | null;
    city: string | null;
    state: string | null;
    postal_code: string | null;
    created_at: string;
    updated_at: string;
  };
}

export const addCompanies: Migration = {
  name: 'companies',
  sql: `
    create table companies (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      tax_id text not null,
      name text not null,
      login_username text,
      external_uid text,
      certificate_status text not null,
      certificate_issue_date text,
      certificate_expiration_date text,
      address text,
      city text,
      state text,
      postal_code text,
      created_at text not null,
      updated_at text not null,
      unique (organization_id, tax_id)
    );
    create index companies_by_external_uid on companies (organization_id, external_uid);
  `,
};
