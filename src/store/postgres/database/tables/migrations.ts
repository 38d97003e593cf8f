/** The list of migrations, oldest first. */
import { firstTables } from './first-tables.ts';
import { operatorTables } from './operator-tables.ts';

/**
 * A change of the tables. Processes of two versions share a database while one after the other is updated, so a
 * change only adds. What it replaces is removed by a later version, whose `worksWith` is the level of this one. An
 * index is replaced at once: earlier versions get the same results without it, more slowly.
 */
export interface Migration {
  readonly level: number;
  readonly name: string;
  /** The level of the oldest version that may use the tables after this change. */
  readonly worksWith: number;
  readonly sql: string;
}

/** The level of the first released tables. Those of versions before 1.0 have levels below it. */
export const FIRST_LEVEL = 100;

/**
 * The events of a pruned day that have their bodies: those that stayed, and those of higher numbers than `last_event`,
 * which are imported later. A trigger, because processes of level 100 prune days, too. It plans its query for one day.
 */
const keptEvents = `
alter table pruned_days add column last_event bigint;
create table kept_events (day integer not null, event_id bigint not null, primary key (day, event_id));
create function list_kept_events() returns trigger language plpgsql as $$
declare
  since bigint := new.day * 86400000::bigint;
  until bigint := since + 86400000;
begin
  -- Not "max(id)": the planner would walk down from the newest event.
  new.last_event := (select max(id + 0) from events where received_at >= since and received_at < until);
  delete from kept_events where day = new.day;
  execute 'insert into kept_events
    select $1, event_id from event_contents where received_at >= $2 and received_at < $3' using new.day, since, until;
  return new;
end
$$;
create trigger kept_events_listed before insert or update on pruned_days
  for each row execute function list_kept_events();
update pruned_days set pruned_at = pruned_at;
`;

/** All migrations, in order. */
export const migrations: readonly Migration[] = [
  { level: FIRST_LEVEL, name: 'first tables', worksWith: FIRST_LEVEL, sql: firstTables + operatorTables },
  {
    level: 101,
    name: 'reasons of rejections, lanes behind dead letters, outages, kept events',
    worksWith: FIRST_LEVEL,
    sql: `${keptEvents}
alter table rejection_counts add column last_reason text, add column clock_seconds bigint;
alter table pauses add column delivery_id bigint;

create table outages (
  cause text not null,
  began_at bigint not null,
  ended_at bigint not null,
  handler text,
  refused bigint not null,
  primary key (cause, began_at)
);`,
  },
  {
    level: 102,
    name: 'what the webhooks of observed sources would have passed',
    worksWith: FIRST_LEVEL,
    sql: `
create table observed_counts (
  hour bigint not null,
  source text collate "C" not null,
  scheme text collate "C" not null,
  webhooks bigint not null,
  primary key (hour, source, scheme)
);`,
  },
  {
    level: 103,
    name: 'looks at the records of the provider',
    worksWith: FIRST_LEVEL,
    sql: `
create table looks (
  source text collate "C" not null,
  family text collate "C" not null,
  at bigint not null,
  whole_at bigint not null,
  equal bigint not null,
  differing text not null,
  primary key (source, family)
);

create table look_differences (
  source text collate "C" not null,
  family text collate "C" not null,
  entity text collate "C" not null,
  outcome text not null,
  fields text not null,
  since bigint not null,
  quarantined text,
  primary key (source, family, entity)
);`,
  },
  {
    level: 104,
    name: 'subjects with reconciled events',
    worksWith: FIRST_LEVEL,
    sql: 'alter table subjects add column reconciled bigint;',
  },
  {
    level: 105,
    name: 'subjects of quarantined bodies',
    worksWith: FIRST_LEVEL,
    sql: `
alter table quarantine add column subject text collate "C";
drop index quarantine_problems;
create index quarantine_subjects on quarantine (subject) where status = 'held' and subject is not null;
create index quarantine_groups on quarantine (problem, subject, repeats, last_repeat_at, received_at)
  where status = 'held';`,
  },
  {
    level: 106,
    name: 'buckets of rates',
    worksWith: FIRST_LEVEL,
    sql: `
alter table deliveries add column rate_until bigint;

-- Times are microseconds.
create table rate_buckets (
  bucket text collate "C" not null,
  key text collate "C" not null,
  empty_at bigint not null default 0,
  closed_until bigint not null default 0,
  queued_until bigint not null default 0,
  overdue_until bigint not null default 0,
  asked_at bigint not null default 0,
  interval_us bigint not null default 0,
  idle_at bigint not null default 0,
  primary key (bucket, key)
);
create index rate_buckets_by_idleness on rate_buckets (idle_at);
create index rate_buckets_closed on rate_buckets (bucket, closed_until) where closed_until > 0;`,
  },
];

/** The tables that the migrations make. Others in the schema are of other programs, and may be as they are. */
export const ownTables: readonly string[] = [
  'migrations',
  ...migrations.flatMap((one) =>
    [...one.sql.matchAll(/^create table (\w+)/gmu)].map(([, name = '']) => name),
  ),
];

/** The level of the tables that this version makes. */
export const newestLevel = Math.max(...migrations.map(({ level }) => level));
