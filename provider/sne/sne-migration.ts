import type { Migration } from '../database/migration.ts';

export const addSneRegistrations: Migration = {
  name: 'SNE registrations of companies and users',
  sql: `
    create table sne_registrations (
      owner_kind text not null check (owner_kind in ('company', 'user')),
      owner_id integer not null,
      organization_id integer not null references organizations (id),
      status text not null,
      sign_up_date text,
      cancel_date text,
      synced_at text,
      primary key (owner_kind, owner_id)
    );
  `,
};
