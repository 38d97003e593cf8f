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
