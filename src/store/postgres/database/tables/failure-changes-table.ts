/**
 * What failed attempts change in `failure_groups`, as rows that add up with the row of their group, so that no failure
 * waits for the transaction of another one. They are merged into it from time to time. `dead` is added, and of the times
 * the latest counts: `began_at`, when the group had no failure before, and `last_at`. An earlier version changes the rows
 * of the groups themselves, and does not see what is not merged yet.
 */
export const failureChanges = `
create table failure_changes (
  group_id bigint not null,
  dead bigint not null,
  began_at bigint,
  last_at bigint
);
`;
