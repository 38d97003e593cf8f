import type { Migration } from '../database/migration.ts';

export const addOrganizations: Migration = {
  name: 'organizations and their keys',
  sql: `
    create table organizations (
      id integer primary key autoincrement,
      name text not null unique,
      created_at text not null
    );
    create table api_keys (
      hash blob primary key,
      organization_id integer not null references organizations (id),
      created_at text not null
    ) without rowid;
  `,
};
