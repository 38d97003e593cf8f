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
