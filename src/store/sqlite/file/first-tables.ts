/**
 * The SQL of the first schema.
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
 * - `deliveries.effect` is '' and `replay_id` 0 when there is none, because
 *   SQLite's unique indexes take nulls for different.
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
create index deliveries_due_of_replay on deliveries (replay_id) where head = 1 and replay_id > 0;
create index deliveries_dead on deliveries (status) where status = 'dead';

create table machine_states (
  machine text not null,
  subject_id integer not null references subjects (id),
  state text not null,
  version text,
  last_event integer not null,
  revision integer not null,
  updated_at integer not null,
  anomalies integer not null,
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
  digest_key integer not null,
  digest blob not null,
  headers text not null,
  body blob not null
) strict;
create index quarantine_held on quarantine (digest_key) where status = 'held';

create table replays (
  id integer primary key autoincrement,
  created_at integer not null,
  filter text not null,
  handlers text not null,
  if_not_succeeded integer not null,
  target text,
  status text not null,
  cursor text
) strict;

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
insert into row_counts values ('quarantine held', 0), ('anomalies', 0);

create trigger held_counted after insert on quarantine when new.status = 'held' begin
  update row_counts set rows = rows + 1 where name = 'quarantine held';
end;

create trigger held_recounted after update of status on quarantine when old.status <> new.status begin
  update row_counts set rows = rows + (new.status = 'held') - (old.status = 'held')
    where name = 'quarantine held';
end;

create trigger anomalies_counted after insert on anomalies begin
  update row_counts set rows = rows + 1 where name = 'anomalies';
end;

create trigger anomalies_recounted after delete on anomalies begin
  update row_counts set rows = rows - 1 where name = 'anomalies';
end;
`;
