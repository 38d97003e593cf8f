import type { Migration } from '../database/migration.ts';

export const addScenario: Migration = {
  name: 'what goes on by itself, and when',
  sql: `
    create table scheduled_steps (
      process text not null,
      subject_id integer not null,
      organization_id integer not null references organizations (id),
      round integer not null,
      due_at text,
      primary key (process, subject_id)
    ) without rowid;
    create index scheduled_steps_due on scheduled_steps (due_at) where due_at is not null;
    create table service_clock (ahead_ms integer not null);
    insert into service_clock values (0);
  `,
};
