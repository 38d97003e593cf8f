/**
 * The level of the tables from which on processes know of pruned days. The first such day ends the use of the tables
 * by earlier versions: they would take its events for ones with a body.
 */
export const PRUNED_DAYS_LEVEL = 3;

/**
 * The days (UTC, counted since 1970) whose content was removed at once. An event that arrived on such a day is pruned
 * if it has no row in `event_contents`, although `events.pruned_at` is null: a row of each event would be written anew
 * otherwise. Days have no numbers before 1970.
 */
export const prunedDays = `
create table pruned_days (
  day integer primary key,
  pruned_at bigint not null
);
`;
