/** The tables of the scenario: scheduled steps and the provider's clock. */
import { integer, organization, table, text, textOrNull } from '../database/table.ts';

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

export const scheduledStepTable = table(
  'scheduled_steps',
  {
    process: text<Process>(),
    /** Id of the company, user, payment slip or indication; of the organization for `day-over`. */
    subject_id: integer(),
    organization_id: organization,
    /** Number of steps scheduled before. Part of the seed of random decisions. */
    round: integer(),
    /** Null when no step is scheduled. */
    due_at: textOrNull(),
  },
  {
    constraints: ['primary key (process, subject_id)'],
    withoutRowid: true,
    also: 'create index scheduled_steps_due on scheduled_steps (due_at) where due_at is not null;',
  },
);

/** One row: the offset of the provider's clock to the machine's. */
export const clockTable = table(
  'service_clock',
  { ahead_ms: integer() },
  { also: 'insert into service_clock values (0);' },
);
