/**
 * The server on which the store was last known: of which cluster, in which database, with which tables, on which
 * timeline. A backup holds this row with everything else, so a restored database finds itself somewhere else.
 *
 * - `system` is the identifier of the cluster, `database` the number of the database in it, and `tables` that of the
 *   table `store`: `pg_restore` creates tables anew.
 * - `timeline` counts the restores from archived WAL and the promotions of standbys.
 * - `recorded_at` is when it was recorded, in milliseconds since 1970: at the first start of a process that serves,
 *   or by `store renew-id`.
 * - `system` and `timeline` are null where the server does not tell them.
 */
export const knownServer = `
create table known_server (
  id integer primary key check (id = 1),
  system bigint,
  database bigint not null,
  tables bigint not null,
  timeline bigint,
  recorded_at bigint not null
);
`;
