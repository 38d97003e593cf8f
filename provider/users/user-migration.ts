import type { Migration } from '../database/migration.ts';

export const addUsers: Migration = {
  name: 'individual users and their driver licenses',
  sql: `
    create table users (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      tax_id text not null,
      name text not null,
      email text,
      phone text,
      external_uid text,
      status text not null check (status in ('active', 'inactive', 'pending')),
      created_at text not null,
      updated_at text not null,
      unique (organization_id, tax_id)
    );
    create index users_by_external_uid on users (organization_id, external_uid);
    create table user_driver_licenses (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      user_id integer not null unique references users (id) on delete cascade,
      record text not null,
      created_at text not null
    );
  `,
};
