import type { Migration } from '../database/migration.ts';

export interface DayOverTables {
  /** How far an organization's records have come from one day into the next. One row each. */
  days_over: {
    organization_id: number;
    /** The day whose beginning has been dealt with, `YYYY-MM-DD`. */
    day: string;
    /** The one that is being dealt with; the same as `day` between nights. */
    next_day: string;
    /** Which of the things that a night brings is next, from 0. */
    turn: number;
    /** The last record that it was brought to. */
    last_id: number;
  };
}

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
