/** The tables of driver licences, and their migration. */
import type { Generated } from 'kysely';
import type { licenseStatuses } from '../../src/contract/record/driver-license.ts';
import type { Migration } from '../database/migration.ts';

export type LicenseStatus = (typeof licenseStatuses)[number];

/** The tables of drivers and of the national registry of licences. */
export interface DriverLicenseTables {
  /** The licences of the national registry. A holder need not be a driver of the organization. */
  registry_licenses: {
    organization_id: number;
    /** CPF of the holder. A person has one licence at most. */
    tax_id: string;
    license: string | null;
    name: string | null;
    points: number | null;
    status: LicenseStatus | null;
    /** `YYYY-MM-DD` */
    issue_date: string | null;
    /** `YYYY-MM-DD` */
    expiration_date: string | null;
  };
  drivers: {
    id: Generated<number>;
    organization_id: number;
    tax_id: string;
    created_at: string;
  };
}

/** Creates {@link DriverLicenseTables}. */
export const addDriverLicenses: Migration = {
  name: 'driver licenses and drivers',
  sql: `
    create table registry_licenses (
      organization_id integer not null references organizations (id),
      tax_id text not null,
      license text,
      name text,
      points integer,
      status text,
      issue_date text,
      expiration_date text,
      primary key (organization_id, tax_id)
    ) without rowid;
    create table drivers (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      tax_id text not null,
      created_at text not null,
      unique (organization_id, tax_id),
      foreign key (organization_id, tax_id) references registry_licenses (organization_id, tax_id)
    );
    create index drivers_by_organization on drivers (organization_id);
  `,
};
