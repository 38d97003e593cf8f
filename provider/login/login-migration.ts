import type { Migration } from '../database/migration.ts';

export const addLogins: Migration = {
  name: 'logins of companies and users',
  sql: `
    create table logins (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      owner_kind text not null check (owner_kind in ('company', 'user')),
      owner_id integer not null,
      uid text not null unique,
      type text not null,
      status text not null,
      connected integer not null,
      connected_at text,
      disconnected_at text,
      step text,
      attempt integer not null,
      unique (owner_kind, owner_id)
    );
  `,
};
