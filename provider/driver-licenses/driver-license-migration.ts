import type { Migration } from '../database/migration.ts';

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
