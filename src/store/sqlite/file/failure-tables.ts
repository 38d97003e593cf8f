/**
 * Adds groups of failures, and jobs.
 *
 * - `failure_groups` counts the dead deliveries of a handler and kind of error. `failures` has a row for each dead
 *   delivery, and for each whose last attempt failed; rows of deliveries that have ended otherwise are ignored.
 * - `job_items` has a row for each item that a job has acted on; its outcome is null until it is known.
 * - `quarantine.problem` is the fingerprint of what was wrong, without values of the sender.
 * - `error_fingerprint` and `problem_fingerprint` are functions of this program (see migrate.ts).
 */
export const failuresAndJobs = `
create table failure_groups (
  id integer primary key,
  handler text not null,
  fingerprint text not null,
  dead integer not null,
  first_at integer not null,
  last_at integer not null,
  unique (handler, fingerprint)
) strict;

create table failures (
  delivery_id integer primary key,
  group_id integer not null references failure_groups (id),
  dead integer not null
) strict;

insert into failure_groups (handler, fingerprint, dead, first_at, last_at)
  select handler, error_fingerprint(coalesce(last_error, '')) as fingerprint, count(*), min(finished_at), max(finished_at)
  from deliveries where status = 'dead' group by handler, fingerprint;
insert into failures (delivery_id, group_id, dead)
  select deliveries.id, failure_groups.id, 1
  from deliveries join failure_groups on failure_groups.handler = deliveries.handler
    and failure_groups.fingerprint = error_fingerprint(coalesce(deliveries.last_error, ''))
  where deliveries.status = 'dead';
create index failures_of_group on failures (group_id, dead, delivery_id);
create index failures_unfinished on failures (delivery_id) where dead = 0;

create table jobs (
  id integer primary key autoincrement,
  plan text not null unique,
  action text not null,
  selection text not null,
  planned integer not null,
  staged integer not null,
  rate real,
  stop_at real,
  reason text,
  requested_by text not null,
  created_at integer not null,
  ended_at integer,
  state text not null,
  message text,
  stage integer not null default 1,
  stage_size integer,
  stage_acted integer not null default 0,
  stage_ended integer not null default 0,
  stage_failed integer not null default 0,
  cursor integer not null default 0,
  acted integer not null default 0,
  left_alone integer not null default 0,
  succeeded integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0
) strict;
create index jobs_running on jobs (id) where state = 'running';

create table job_items (
  job_id integer not null references jobs (id),
  item integer not null,
  stage integer not null,
  outcome text,
  primary key (job_id, item)
) strict, without rowid;
create index job_items_open on job_items (job_id, item) where outcome is null;
create index job_items_failed on job_items (job_id, item) where outcome = 'failed';

alter table quarantine add column problem text not null default '';
update quarantine set problem = problem_fingerprint(reason, kind, message, issues) where status = 'held';
create index quarantine_problems on quarantine (problem) where status = 'held';
`;
