import type { Migration } from '../database/migration.ts';

/**
 * What goes on by itself. One row for each thing that something can happen to:
 * what is scheduled anew replaces what was.
 */
export const processes = [
  'company-login',
  'user-login',
  'company-session',
  'user-session',
  'company-sne',
  'user-sne',
  'company-certificate',
  'company-import',
  'charge-slip',
  'antt-ticket',
  'violation-ticket',
  'indication',
  'day-over',
] as const;
export type Process = (typeof processes)[number];

export interface ScenarioTables {
  scheduled_steps: {
    process: Process;
    /** Of the company, user, slip or indication; of the organization itself where a day is over. */
    subject_id: number;
    organization_id: number;
    /** How often it was scheduled before: what is drawn differs from time to time. */
    round: number;
    /** Null when nothing is to come. */
    due_at: string | null;
  };
  /** One row: how far the provider's time is ahead of the machine's. */
  service_clock: { ahead_ms: number };
}

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
