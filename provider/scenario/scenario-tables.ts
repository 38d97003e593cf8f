/** The tables of the scenario. */
import type { Migration } from '../database/migration.ts';

/**
 * The processes of the scenario. Each record has at most one scheduled step per process;
 * scheduling another replaces it.
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

/** Scheduled steps and the provider's clock. */
export interface ScenarioTables {
  scheduled_steps: {
    process: Process;
    /** Id of the company, user, payment slip or indication; of the organization for `day-over`. */
    subject_id: number;
    organization_id: number;
    /** Number of steps scheduled before. Part of the seed of random decisions. */
    round: number;
    /** Null when no step is scheduled. */
    due_at: string | null;
  };
  /** One row: the offset of the provider's clock to the machine's. */
  service_clock: { ahead_ms: number };
}

export const addScenario: Migration = {
  name: 'scheduled steps and the offset of the clock',
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
