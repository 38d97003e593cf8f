/** The table of the tasks of midnight, and its migration. */
import type { Migration } from '../database/migration.ts';

/** The table of the progress of daily tasks. */
export interface DayOverTables {
  /** One row per organization. */
  days_over: {
    organization_id: number;
    /** The last day that all tasks have processed, `YYYY-MM-DD`. */
    day: string;
    /** The day that the current run processes; the same as `day` between runs. */
    next_day: string;
    /** Index of the task that runs next. */
    turn: number;
    /** The last record that this task has processed. */
    last_id: number;
  };
}

/** Creates {@link DayOverTables}. */
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
