import type { Migration } from '../database/migration.ts';

export const addAppeals: Migration = {
  name: 'appeals',
  sql: `
    create table appeals (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      user_id integer not null references drivers (id),
      legal_instance text not null,
      status text not null,
      submitted_at text not null,
      reference_object_id integer not null,
      reference_object_type text not null,
      created_at text not null,
      updated_at text not null
    );
    create index appeals_by_organization on appeals (organization_id);
    create index appeals_by_status on appeals (organization_id, status);
    create index appeals_by_reference on appeals (organization_id, reference_object_type, reference_object_id, status);
  `,
};
