/**
 * The tables for operators.
 *
 * - `processes` has the processes that run handlers of the file, and their handlers as JSON. A file has one owner,
 *   so there is one row at most.
 * - `known_definitions` has the handlers, and the kinds and sources beyond the specification, that the process knew which
 *   registered last. It outlives the process. `source` is '' but for the kind of a source.
 * - `erasure_key` keys the digests of erased content and the hashes of identifiers. It is drawn with the tables, so
 *   that every backup contains it.
 * - `erasures` is the ledger: keyed hashes of identifiers, never the identifiers. `runs` has what each run of an
 *   erasure erased, as JSON: a receipt counts the rows of interrupted runs, too.
 * - `holds` lists the subjects whose content must not be erased or pruned.
 * - `retention` has one row: what was pruned so far, and the runs of `serve`. No event before `first_body` has a
 *   body, so a run starts there.
 * - `former_store_ids` has the store ids that a restore replaced: events up to `last_event` keep the id under which
 *   they were handed out.
 * - `received_counts` and `hourly_counts` hold the events up to the number in `counted_events`. A running process
 *   counts the others from the log, so that no commit of an event pays for it.
 * - `alerts` and `pauses` use `autoincrement`: an id of an alert is part of a message's id, which receivers remember,
 *   and logs name the ids of pauses.
 * - `activity` and `handler_activity` are what charts show: counts by spans of five minutes, written once a minute and
 *   kept for 31 days. `durations` is a JSON array of buckets and counts (see activity.ts of the store's interface).
 * - `audit.hash` covers the entry and the hash of the entry before it (see audit.ts of the store's interface). Ids have
 *   no gaps. Triggers refuse every change of an entry, an entry out of order (also by `insert or replace`), and the
 *   deletion of entries after `audit_start.through`. Only retention moves that, and it never moves back.
 *   `audit_start.hash` is the hash of the last removed entry, from which the chain goes on.
 * - `ended_sessions` has the id of a signed-out session until the session would have ended.
 * - A part of a pause's scope that is null matches everything. `pause_changes` counts the changes of `pauses`, for
 *   processes that keep them in memory.
 * - `failure_groups` counts the dead deliveries of a handler and kind of error. `failures` has a row for each dead
 *   delivery, and for each whose last attempt failed; rows of deliveries that have ended otherwise are ignored.
 * - `job_items` has a row for each item that a job has acted on; its outcome is null until it is known.
 */
export const operatorTables = `
create table processes (
  id text primary key,
  host text not null,
  pid integer not null,
  version text not null,
  started_at integer not null,
  handlers text not null
) strict, without rowid;

create table known_definitions (
  type text not null,
  source text not null,
  name text not null,
  origin text not null,
  hash text not null,
  primary key (type, source, name)
) strict, without rowid;

create table erasure_key (
  id integer primary key check (id = 1),
  key blob not null
) strict;
insert into erasure_key values (1, randomblob(32));

create table erasures (
  id integer primary key autoincrement,
  started_at integer not null,
  finished_at integer,
  requested_by text not null,
  reason text not null,
  identifiers text not null,
  receipt text,
  runs text
) strict;

create table holds (
  family text not null,
  entity text not null,
  reason text not null,
  placed_by text not null,
  placed_at integer not null,
  primary key (family, entity)
) strict, without rowid;

create table retention (
  id integer primary key check (id = 1),
  pruned_events integer not null default 0,
  pruned_bytes integer not null default 0,
  pruned_quarantine integer not null default 0,
  pruned_deliveries integer not null default 0,
  discarded_deliveries integer not null default 0,
  first_body integer not null default 1,
  last_run_at integer,
  next_run_at integer
) strict;
insert into retention (id) values (1);

create table former_store_ids (
  last_event integer primary key,
  store_id text not null,
  replaced_at integer not null
) strict;

create table received_counts (
  source text not null,
  kind text not null,
  recognized integer not null,
  events integer not null,
  first_received_at integer not null,
  last_received_at integer not null,
  primary key (source, kind)
) strict, without rowid;

create table hourly_counts (
  hour integer not null,
  source text not null,
  kind text not null,
  events integer not null,
  primary key (hour, source, kind)
) strict, without rowid;

create table counted_events (
  id integer primary key check (id = 1),
  through integer not null
) strict;
insert into counted_events values (1, 0);

create table rejection_counts (
  hour integer not null,
  source text not null,
  rejections integer not null,
  primary key (hour, source)
) strict, without rowid;

create table open_breakers (
  handler text primary key,
  since integer not null,
  until integer not null,
  reason text not null
) strict, without rowid;

create table problems (
  key text primary key,
  began_at integer not null,
  report text not null
) strict, without rowid;

create table alerts (
  id integer primary key autoincrement,
  body text not null,
  attempts integer not null default 0,
  due_at integer not null,
  last_error text
) strict;

create table activity (
  at integer primary key,
  received integer not null,
  backlog integer not null,
  oldest_ms integer not null
) strict;

create table handler_activity (
  at integer not null,
  handler text not null,
  succeeded integer not null,
  failed integer not null,
  dead integer not null,
  skipped integer not null,
  breaker_ms integer not null,
  durations text not null,
  primary key (at, handler)
) strict, without rowid;

create table audit (
  id integer primary key autoincrement,
  at integer not null,
  place text not null,
  actor text,
  address text,
  action text not null,
  unmasked integer not null,
  subject text not null,
  reason text,
  result text not null,
  status integer,
  times integer not null,
  ends integer,
  hash blob not null
) strict;
create unique index audit_ends on audit (ends) where ends is not null;

create table audit_start (
  id integer primary key check (id = 1),
  through integer not null,
  hash blob not null
) strict;
insert into audit_start values (1, 0, zeroblob(32));

create trigger audit_is_not_changed before update on audit begin
  select raise(abort, 'an entry of the audit never changes');
end;
create trigger audit_is_not_deleted before delete on audit
when old.id > (select through from audit_start) begin
  select raise(abort, 'only retention removes entries of the audit');
end;
create trigger audit_is_appended before insert on audit
when new.id <> (select max(coalesce((select max(id) from audit), 0), (select through from audit_start))) + 1 begin
  select raise(abort, 'entries of the audit are appended');
end;
create trigger audit_start_moves_on before update on audit_start
when new.through <= old.through or new.through > (select max(id) from audit) begin
  select raise(abort, 'the begin of the audit only moves on');
end;
create trigger audit_start_stays before delete on audit_start begin
  select raise(abort, 'the audit keeps its begin');
end;

create table ended_sessions (
  session text primary key,
  ends_at integer not null
) strict, without rowid;

create table pauses (
  id integer primary key autoincrement,
  handler text,
  source text,
  family text,
  entity text,
  reason text not null,
  paused_by text not null,
  paused_at integer not null,
  until integer,
  acknowledged_at integer
) strict;

create table pause_changes (
  id integer primary key check (id = 1),
  changes integer not null
) strict;
insert into pause_changes values (1, 0);

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
`;
