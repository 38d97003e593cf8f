/** The list of migrations, oldest first. */
import { firstTables } from './first-tables.ts';
import type { Migration } from './migration.ts';
import { operatorTables } from './operator-tables.ts';

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
  ...operatorTables,
];
