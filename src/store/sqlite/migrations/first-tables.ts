import type { Migration } from './migration.ts';

/**
 * The first schema.
 *
 * - `events.digest_key` is the digest's first six bytes as a number: a third of
 *   the index that the digest itself would need, and collisions are told apart
 *   by `digest`. A digest of content is looked up among its subject's events,
 *   next to each other in the index, whatever the number of events; a digest of
 *   a message id (`content_digest` is not null) among all of them. `body` comes
 *   last, so that reads of the rest never touch it.
 * - A row of `lanes` exists while something of it is unfinished. `asked_at` is
 *   what the clock read when `due_at` was decided (see clock-jumps.ts).
 * - `deliveries.effect` is '' and `replay_id` 0 when there is none, because
 *   SQLite's unique indexes take nulls for different.
 * - The counts are kept by triggers: statistics cost the same with a million
 *   events as with ten, and whoever writes cannot forget them.
 */
export const firstTables: Migration = {
  level: 1,
  name: 'first tables',
  sql: `
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
  id integer primary key autoincrement,
  kind text not null,
  recognized integer not null,
  subject_id integer not null references subjects (id),
  digest_key integer not null,
  digest blob not null,
  content_digest blob,
  version text,
  verdict text not null,
  flags text not null,
  received_at integer not null,
  repeats integer not null default 0,
  last_repeat_at integer,
  message_id text,
  headers text not null,
  body blob
) strict;
create index events_by_subject on events (subject_id, digest_key);
create index events_by_message_id on events (digest_key) where content_digest is not null;

create table lanes (
  id integer primary key,
  handler text not null,
  key text not null,
  due_at integer not null,
  asked_at integer not null,
  claimed integer not null default 0,
  unique (handler, key)
) strict;
create index lanes_by_due on lanes (handler, due_at) where claimed = 0;
create index lanes_by_asking on lanes (asked_at) where claimed = 0;

create table deliveries (
  id integer primary key autoincrement,
  event_id integer not null references events (id),
  handler text not null,
  effect text not null default '',
  effect_change text,
  late integer not null default 0,
  replay_id integer not null default 0,
  lane_order text not null,
  lane_id integer,
  status text not null,
  attempts integer not null default 0,
  due_at integer,
  asked_at integer,
  last_error text,
  finished_at integer,
  unique (event_id, handler, effect, replay_id)
) strict;
create index deliveries_waiting on deliveries (lane_id) where finished_at is null;
create index deliveries_unfinished on deliveries (event_id) where finished_at is null;
create index deliveries_of_replay on deliveries (replay_id, status) where replay_id > 0;
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

create trigger events_counted after insert on events begin
  insert into event_counts values (new.kind, new.recognized, new.verdict, 1, new.repeats, new.received_at)
    on conflict do update set
      events = events + 1,
      repeats = repeats + excluded.repeats,
      last_received_at = max(last_received_at, excluded.last_received_at);
end;

create trigger repeats_counted after update of repeats on events begin
  update event_counts set repeats = repeats + new.repeats - old.repeats
    where kind = new.kind and recognized = new.recognized and verdict = new.verdict;
end;

create trigger deliveries_counted after insert on deliveries begin
  insert into delivery_counts values (new.handler, new.status, 1)
    on conflict do update set deliveries = deliveries + 1;
end;

create trigger deliveries_recounted after update of status on deliveries when old.status <> new.status begin
  update delivery_counts set deliveries = deliveries - 1
    where handler = old.handler and status = old.status;
  insert into delivery_counts values (new.handler, new.status, 1)
    on conflict do update set deliveries = deliveries + 1;
end;
`,
};
