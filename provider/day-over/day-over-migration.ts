import type { Migration } from '../database/migration.ts';

export const addDaysOver: Migration = {
  name: 'how far records have come from one day into the next',
  sql: `
    create table days_over (
      organization_id integer primary key references organizations (id),
      day text not null,
      next_day text not null,
      turn integer not null,
      last_id integer not null
    );
  `,
};
