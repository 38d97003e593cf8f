import { failuresAndJobs } from './failure-tables.ts';
import { firstTables } from './first-tables.ts';

/** One step of the schema. Levels count from 1 without gaps; a released step never changes. */
export interface Migration {
  readonly level: number;
  readonly name: string;
  readonly sql: string;
}

/**
 * Adds the columns and counts of the quarantine's quota.
 *
 * - `quarantine.verified` is 1 for verified senders. Older entries count as
 *   verified, so that no unverified sender drops them.
 * - `quarantine.bytes` is the size that an entry counts for: everything that a
 *   sender chooses, and 512 for the row and its indexes. It is computed, because
 *   writing it into old rows would copy all their bodies.
 * - `quarantine_counts` has a row for each kind of sender and reason, maintained
 *   by triggers. Only the quota deletes held entries.
 * - No row remains of a dropped entry, because senders choose their number. An
 *   id up to `sqlite_sequence.seq` without a row was dropped.
 */
const quarantineQuota: Migration = {
  level: 2,
  name: 'quarantine quota',
  sql: `
alter table quarantine add column verified integer not null default 1;
alter table quarantine add column bytes integer generated always as (
  512 + octet_length(body) + octet_length(headers) + octet_length(issues) + octet_length(message)
    + coalesce(octet_length(kind), 0) + coalesce(octet_length(message_id), 0)
) virtual;
create index quarantine_oldest on quarantine (verified, reason) where status = 'held';

create table quarantine_counts (
  verified integer not null,
  reason text not null,
  held integer not null default 0,
  bytes integer not null default 0,
  dropped integer not null default 0,
  dropped_bytes integer not null default 0,
  primary key (verified, reason)
) strict, without rowid;
insert into quarantine_counts (verified, reason, held, bytes)
  select verified, reason, count(*), sum(bytes) from quarantine where status = 'held' group by verified, reason;

drop trigger held_counted;
drop trigger held_recounted;
delete from row_counts where name = 'quarantine held';

create trigger quarantine_held_counted after insert on quarantine when new.status = 'held' begin
  insert into quarantine_counts (verified, reason, held, bytes) values (new.verified, new.reason, 1, new.bytes)
    on conflict do update set held = held + 1, bytes = bytes + excluded.bytes;
end;

create trigger quarantine_release_counted after update of status on quarantine
when old.status = 'held' and new.status <> 'held' begin
  update quarantine_counts set held = held - 1, bytes = bytes - old.bytes
    where verified = old.verified and reason = old.reason;
end;

create trigger quarantine_drop_counted after delete on quarantine when old.status = 'held' begin
  update quarantine_counts
    set held = held - 1, bytes = bytes - old.bytes, dropped = dropped + 1, dropped_bytes = dropped_bytes + old.bytes
    where verified = old.verified and reason = old.reason;
end;
`,
};

/**
 * Stores whether the id of a quarantined message is trusted. Older entries count
 * as untrusted, so their content decides when they are released.
 */
const trustedMessageIds: Migration = {
  level: 3,
  name: 'trusted message ids',
  sql: 'alter table quarantine add column message_trusted integer not null default 0;',
};

/**
 * Counts unknown kinds beyond the 1,000 most frequent ones together, under ''
 * (see counted-kinds.ts): each invented kind had rows of its own, which every
 * scrape of metrics read.
 */
const boundedKinds: Migration = {
  level: 4,
  name: 'bounded kinds',
  sql: `
create temp table kept_kinds as
  select kind from event_counts where recognized = 0
  group by kind order by sum(events) desc, kind limit 1000;

create temp table other_kinds as
  select verdict, sum(events) as events, sum(repeats) as repeats, max(last_received_at) as last_received_at
  from event_counts
  where recognized = 0 and kind not in (select kind from kept_kinds)
  group by verdict;

delete from event_counts where recognized = 0 and kind not in (select kind from kept_kinds);
insert into event_counts (kind, recognized, verdict, events, repeats, last_received_at)
  select '', 0, verdict, events, repeats, last_received_at from other_kinds;

drop table kept_kinds;
drop table other_kinds;
`,
};

/**
 * Adds the processes that run handlers of the file, and their handlers as JSON. A file has one owner, so
 * there is one row at most; a store that several processes share has one for each.
 */
const processes: Migration = {
  level: 5,
  name: 'processes',
  sql: `
create table processes (
  id text primary key,
  host text not null,
  pid integer not null,
  version text not null,
  started_at integer not null,
  handlers text not null
) strict, without rowid;
`,
};

/**
 * Adds what erasing a person needs.
 *
 * - `subjects.erased` counts the erasures that changed an event of the subject: an
 *   arriving event then also looks for keyed digests, and a fold forgets its cache.
 * - `quarantine.erased` is 1 once an entry was erased; its digest is keyed then.
 * - `erasure_key` keys the digests of erased content and the hashes of identifiers.
 *   It is drawn here, so that every backup made from now on contains it.
 * - `erasures` is the ledger: keyed hashes of identifiers, never the identifiers.
 * - `holds` lists the subjects whose content must not be erased or pruned.
 */
const erasure: Migration = {
  level: 6,
  name: 'erasure',
  sql: `
alter table subjects add column erased integer not null default 0;
alter table quarantine add column erased integer not null default 0;

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
  receipt text
) strict;

create table holds (
  family text not null,
  entity text not null,
  reason text not null,
  placed_by text not null,
  placed_at integer not null,
  primary key (family, entity)
) strict, without rowid;

create trigger quarantine_bytes_recounted
after update of body, headers, message, issues, kind, message_id on quarantine
when old.status = 'held' and new.status = 'held' and old.bytes <> new.bytes begin
  update quarantine_counts set bytes = bytes - old.bytes + new.bytes
    where verified = old.verified and reason = old.reason;
end;
`,
};

/**
 * Adds the records of monitoring (see monitoring.ts of the store's interface).
 *
 * - `received_counts` and `hourly_counts` hold the events up to the number in
 *   `counted_events`. A running process counts the others from the log, so that
 *   no commit of an event pays for it.
 * - `alerts` uses `autoincrement`: an id is part of a message's id, which receivers remember.
 */
const monitoring: Migration = {
  level: 7,
  name: 'monitoring',
  sql: `
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
`,
};

/**
 * Adds what retention and restored copies need.
 *
 * - `events.pruned_at` is when the body was pruned. Adding it rewrites no row.
 * - `machine_bases` has the state that the events up to `through_event` left, in
 *   version order, for subjects whose events are pruned in part or in whole.
 * - `retention` has one row: what was pruned so far, and the runs of `serve`.
 *   No event before `first_body` has a body, so a run starts there.
 * - `former_store_ids` has the store ids that a restore replaced: events up to
 *   `last_event` keep the id under which they were handed out.
 */
const retention: Migration = {
  level: 8,
  name: 'retention',
  sql: `
alter table events add column pruned_at integer;

create table machine_bases (
  machine text not null,
  subject_id integer not null references subjects (id),
  state text not null,
  through_event integer not null,
  primary key (machine, subject_id)
) strict;

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
`,
};

/** Finds erased entries of the quarantine by their content, held or released: their originals must not come back. */
const erasedEntries: Migration = {
  level: 9,
  name: 'erased entries',
  sql: 'create index quarantine_erased on quarantine (digest_key) where erased = 1;',
};

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

/** All migrations, in order. */
export const migrations: readonly Migration[] = [
  { level: 1, name: 'first tables', sql: firstTables },
  quarantineQuota,
  trustedMessageIds,
  boundedKinds,
  processes,
  erasure,
  monitoring,
  retention,
  erasedEntries,
  audit,
  pauses,
  activity,
  attempts,
  { level: 14, name: 'failures and jobs', sql: failuresAndJobs },
  phases,
  definitions,
];
