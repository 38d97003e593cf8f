/**
 * The tables of events, deliveries, machines and the quarantine.
 *
 * - `events.digest_key` is the digest's first six bytes as a number: a third of
 *   the index that the digest would need. Equal keys are told apart by `digest`.
 *   Content is looked up among its subject's events, which are neighbours in the
 *   index. `message_key` is the same for message ids, which are looked up among
 *   all events. `body` is the last column, so that other reads never touch it.
 * - `event_repeats` has a short row for each repeated event: counting in the
 *   event's own row would rewrite a page with its body.
 * - Events and deliveries are numbered without `autoincrement`, which maintains
 *   a table of its own. Rows are emptied but never deleted, so no number is used
 *   twice.
 * - A lane is a handler's `lane`: the subject's number; 0 when the handler runs
 *   one delivery at a time; the delivery's own number, negated, when deliveries
 *   are unordered. Of a lane's unfinished deliveries either one is running and
 *   none is `head`, or the first is `head` and may be claimed from `due_at`.
 *   `asked_at` is the time by the clock when `due_at` was decided (see
 *   clock-jumps.ts). A row per lane would cost more than the delivery.
 * - `deliveries.cut_short` is 1 once a crash has interrupted a delivery, whatever
 *   becomes of it later: it is not prefetched again.
 * - `deliveries.head` is 2 for a head that a claim has parked because its source or lane is paused.
 * - `deliveries.effect` is '' and `replay_id` 0 when there is none, because
 *   SQLite's unique indexes take nulls for different.
 * - `attempts` has those that did not succeed, so that a later success or retry does
 *   not hide them. `duration_ms` is null when the process ended with the attempt, and
 *   `due_at` when none followed by itself. Their numbers only grow: `row_counts` has the
 *   newest one as `attempts` once it may have been removed.
 * - `events.pruned_at` is when the body was pruned. `machine_bases` has the state that
 *   the events up to `through_event` left, in version order, for subjects whose events
 *   are pruned in part or in whole.
 * - `subjects.erased` counts the erasures that changed an event of the subject: an
 *   arriving event then also looks for keyed digests, and a fold forgets its cache.
 * - `machine_states.phases` is computed as `phasesOf` does: a JSON list of the phase in
 *   the state itself, `phase`, `status` and `session`, null where there is none.
 * - `quarantine.bytes` is the size that an entry counts for: everything that a sender
 *   chooses, and 512 for the row and its indexes. `verified` is 1 for verified senders.
 *   `problem` is the fingerprint of what was wrong, without values of the sender.
 * - `quarantine.erased` is 1 once an entry was erased. Its digest is keyed then, and
 *   `canonical_digest` is that of its canonical JSON before, keyed too: the original is
 *   also known with another order of members, and must not come back.
 * - `quarantine_counts` has a row for each kind of sender and reason. Only the quota
 *   deletes held entries. No row remains of a dropped entry, because senders choose
 *   their number: an id up to `sqlite_sequence.seq` without a row was dropped.
 * - `event_counts` counts unknown kinds beyond the 1,000 most frequent ones together,
 *   under '' (see counted-kinds.ts).
 * - row-counts.ts maintains the counts of events and deliveries, triggers those
 *   of rare rows: statistics cost the same with a million events as with ten.
 */
export const firstTables = `
create table store (
  id integer primary key check (id = 1),
  installation text not null,
  created_at integer not null
) strict;

create table subjects (
  id integer primary key,
  source text not null,
  family text not null,
  entity text not null,
  latest_event integer,
  latest_version text,
  erased integer not null default 0,
  unique (family, entity, source)
) strict;

create table events (
  id integer primary key,
  kind text not null,
  recognized integer not null,
  subject_id integer not null references subjects (id),
  digest_key integer not null,
  digest blob not null,
  message_key integer,
  message_digest blob,
  version text,
  verdict text not null,
  flags text not null,
  received_at integer not null,
  message_id text,
  pruned_at integer,
  headers text not null,
  body blob
) strict;
create index events_by_subject on events (subject_id, digest_key);
create index events_by_message_id on events (message_key) where message_key is not null;

create table event_repeats (
  event_id integer primary key references events (id),
  repeats integer not null,
  last_repeat_at integer not null
) strict;

create table deliveries (
  id integer primary key,
  event_id integer not null references events (id),
  handler text not null,
  effect text not null default '',
  effect_change text,
  late integer not null default 0,
  replay_id integer not null default 0,
  lane_order text not null,
  lane integer not null,
  status text not null,
  head integer not null default 0,
  attempts integer not null default 0,
  cut_short integer not null default 0,
  due_at integer,
  asked_at integer,
  last_error text,
  finished_at integer,
  unique (event_id, handler, effect, replay_id)
) strict;
create index deliveries_waiting on deliveries (handler, lane) where finished_at is null;
create index deliveries_due on deliveries (handler, due_at) where head = 1;
create index deliveries_unfinished on deliveries (event_id) where finished_at is null;
create index deliveries_of_replay on deliveries (replay_id) where replay_id > 0;
create index deliveries_dead on deliveries (status) where status = 'dead';
create index deliveries_dead_of_handler on deliveries (handler) where status = 'dead';
create index deliveries_parked on deliveries (head) where head = 2;

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

create table machine_states (
  machine text not null,
  subject_id integer not null references subjects (id),
  state text not null,
  version text,
  last_event integer not null,
  revision integer not null,
  updated_at integer not null,
  anomalies integer not null,
  phases text generated always as (
    json_array(
      case json_type(state) when 'text' then substr(json_extract(state, '$'), 1, 60) end,
      case json_type(state, '$.phase') when 'text' then substr(json_extract(state, '$.phase'), 1, 60) end,
      case json_type(state, '$.status') when 'text' then substr(json_extract(state, '$.status'), 1, 60) end,
      case json_type(state, '$.session') when 'text' then substr(json_extract(state, '$.session'), 1, 60) end
    )
  ) virtual,
  primary key (machine, subject_id)
) strict;
create index machine_states_by_phases on machine_states (machine, phases, subject_id);
create index machine_states_anomalous on machine_states (machine, subject_id) where anomalies > 0;

create table machine_bases (
  machine text not null,
  subject_id integer not null references subjects (id),
  state text not null,
  through_event integer not null,
  primary key (machine, subject_id)
) strict;

create table anomalies (
  id integer primary key autoincrement,
  machine text not null,
  subject_id integer not null references subjects (id),
  event_id integer not null,
  message text not null
) strict;
create index anomalies_by_subject on anomalies (subject_id, machine);
create index anomalies_by_machine on anomalies (machine);

create table quarantine (
  id integer primary key autoincrement,
  source text not null,
  status text not null,
  reason text not null,
  kind text,
  message text not null,
  issues text not null,
  received_at integer not null,
  repeats integer not null default 0,
  last_repeat_at integer,
  event_id integer,
  message_id text,
  message_trusted integer not null default 0,
  digest_key integer not null,
  digest blob not null,
  verified integer not null default 1,
  erased integer not null default 0,
  canonical_digest blob,
  problem text not null default '',
  headers text not null,
  body blob not null,
  bytes integer generated always as (
    512 + octet_length(body) + octet_length(headers) + octet_length(issues) + octet_length(message)
      + coalesce(octet_length(kind), 0) + coalesce(octet_length(message_id), 0)
  ) virtual
) strict;
create index quarantine_held on quarantine (digest_key) where status = 'held';
create index quarantine_oldest on quarantine (verified, reason) where status = 'held';
create index quarantine_problems on quarantine (problem) where status = 'held';
create index quarantine_erased on quarantine (digest_key) where erased = 1;
create index quarantine_canonical on quarantine (canonical_digest) where canonical_digest is not null;

create table quarantine_counts (
  verified integer not null,
  reason text not null,
  held integer not null default 0,
  bytes integer not null default 0,
  dropped integer not null default 0,
  dropped_bytes integer not null default 0,
  primary key (verified, reason)
) strict, without rowid;

create table event_counts (
  kind text not null,
  recognized integer not null,
  verdict text not null,
  events integer not null,
  repeats integer not null,
  last_received_at integer not null,
  primary key (kind, recognized, verdict)
) strict, without rowid;

create table delivery_counts (
  handler text not null,
  status text not null,
  deliveries integer not null,
  primary key (handler, status)
) strict, without rowid;

create table replay_counts (
  replay_id integer not null,
  status text not null,
  deliveries integer not null,
  primary key (replay_id, status)
) strict, without rowid;

create table row_counts (
  name text primary key,
  rows integer not null
) strict, without rowid;
insert into row_counts values ('anomalies', 0);

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

create trigger quarantine_bytes_recounted
after update of body, headers, message, issues, kind, message_id on quarantine
when old.status = 'held' and new.status = 'held' and old.bytes <> new.bytes begin
  update quarantine_counts set bytes = bytes - old.bytes + new.bytes
    where verified = old.verified and reason = old.reason;
end;

create trigger anomalies_counted after insert on anomalies begin
  update row_counts set rows = rows + 1 where name = 'anomalies';
end;

create trigger anomalies_recounted after delete on anomalies begin
  update row_counts set rows = rows - 1 where name = 'anomalies';
end;
`;
