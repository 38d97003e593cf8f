import type { Migration } from '../database/migration.ts';

export const addImports: Migration = {
  name: 'first imports of companies',
  sql: `
    create table company_imports (
      company_id integer primary key references companies (id) on delete cascade,
      organization_id integer not null references organizations (id),
      started_at text not null,
      outcome text,
      vehicles_total integer not null,
      vehicles_succeeded integer not null default 0,
      vehicles_failed integer not null default 0,
      violations_total integer not null,
      violations_succeeded integer not null default 0,
      violations_failed integer not null default 0
    );
  `,
};
