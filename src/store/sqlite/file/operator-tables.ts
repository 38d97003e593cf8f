/** The tables for operators: audit, pauses, charts, attempts, failures, jobs, phases of machines, known definitions. */
import { failuresAndJobs } from './failure-tables.ts';
import type { Migration } from './migration.ts';

/**
 * Adds the audit (see audit.ts of the store's interface) and the sessions that were signed out.
 *
 * - `audit.hash` covers the entry and the hash of the entry before it. Ids have no gaps.
 * - Triggers refuse every change of an entry, an entry out of order (also by `insert or replace`), and the
 *   deletion of entries after `audit_start.through`. Only retention moves that, and it never moves back.
 * - `audit_start.hash` is the hash of the last removed entry, from which the chain goes on.
 * - `ended_sessions` has the id of a signed-out session until the session would have ended.
 */
const audit: Migration = {
  level: 10,
  name: 'audit',
  sql: `
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
`,
};

/**
 * Adds operators' pauses.
 *
 * - A part of a scope that is null matches everything. `autoincrement`: logs name ids.
 * - `pause_changes` counts the changes of `pauses`, for processes that keep them in memory.
 * - `deliveries.head` is 2 for a head that a claim has parked because its source or lane is paused.
 */
const pauses: Migration = {
  level: 11,
  name: 'pauses',
  sql: `
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

create index deliveries_parked on deliveries (head) where head = 2;
`,
};

/**
 * Adds what charts show: counts by spans of five minutes, written once a minute and kept for 31 days.
 * `handler_activity.durations` is a JSON array of buckets and counts (see activity.ts of the store's interface).
 */
const activity: Migration = {
  level: 12,
  name: 'activity',
  sql: `
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
`,
};

/**
 * Adds the attempts that did not succeed, so that a later success or retry does not hide them. An attempt that
 * succeeds writes none. `duration_ms` is null when the process ended with it, and `due_at` when none followed by
 * itself. Dead deliveries have their last attempt from the start: a retry must not lose its error. Those of one
 * handler get an index: only they pay for it.
 */
const attempts: Migration = {
  level: 13,
  name: 'attempts',
  sql: `
create table attempts (
  id integer primary key,
  delivery_id integer not null references deliveries (id),
  attempt integer not null,
  outcome text not null,
  ended_at integer not null,
  duration_ms integer,
  due_at integer,
  error text
) strict;
create index attempts_of_delivery on attempts (delivery_id);
insert into attempts (delivery_id, attempt, outcome, ended_at, error)
  select id, max(attempts, 1), 'dead', finished_at, last_error from deliveries where status = 'dead';
create index deliveries_dead_of_handler on deliveries (handler) where status = 'dead';
`,
};

/**
 * Adds what the console needs of machines.
 *
 * - `machine_states.phases` is computed from the state, as `phasesOf` does: a JSON list of the phase in
 *   the state itself, `phase`, `status` and `session`, null where there is none. An index needs it.
 * - The indexes count the subjects in a phase, and find those with anomalies.
 */
const phases: Migration = {
  level: 15,
  name: 'phases',
  sql: `
alter table machine_states add column phases text generated always as (
  json_array(
    case json_type(state) when 'text' then substr(json_extract(state, '$'), 1, 60) end,
    case json_type(state, '$.phase') when 'text' then substr(json_extract(state, '$.phase'), 1, 60) end,
    case json_type(state, '$.status') when 'text' then substr(json_extract(state, '$.status'), 1, 60) end,
    case json_type(state, '$.session') when 'text' then substr(json_extract(state, '$.session'), 1, 60) end
  )
) virtual;
create index machine_states_by_phases on machine_states (machine, phases, subject_id);
create index machine_states_anomalous on machine_states (machine, subject_id) where anomalies > 0;
create index anomalies_by_machine on anomalies (machine);
`,
};

/**
 * Adds what reads stored bodies and finds erased ones.
 *
 * - `known_definitions` has the kinds and sources beyond the specification that the process knew which registered
 *   last. It outlives the process. `source` is '' for a kind of every source, and for a source.
 * - `quarantine.canonical_digest` is the keyed digest of the canonical JSON of an erased entry, as it was before:
 *   the original is also known with another order of members. Entries that were erased before have none.
 */
const definitions: Migration = {
  level: 16,
  name: 'known definitions',
  sql: `
create table known_definitions (
  type text not null,
  source text not null,
  name text not null,
  origin text not null,
  hash text not null,
  primary key (type, source, name)
) strict, without rowid;

alter table quarantine add column canonical_digest blob;
create index quarantine_canonical on quarantine (canonical_digest) where canonical_digest is not null;
`,
};

/** Adds what each run of an erasure erased, as JSON: a receipt counts the rows of interrupted runs, too. */
const erasureRuns: Migration = {
  level: 17,
  name: 'runs of erasures',
  sql: 'alter table erasures add column runs text;',
};

/** The migrations from level 10, in order. */
export const operatorTables: readonly Migration[] = [
  audit,
  pauses,
  activity,
  attempts,
  { level: 14, name: 'failures and jobs', sql: failuresAndJobs },
  phases,
  definitions,
  erasureRuns,
];
