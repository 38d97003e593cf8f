/** The list of migrations, oldest first. */
import { firstTables } from './first-tables.ts';
import { operatorTables } from './operator-tables.ts';

/** One step of the schema. Levels rise; a released step never changes. */
export interface Migration {
  readonly level: number;
  readonly name: string;
  readonly sql: string;
}

/** All migrations, in order. Files of versions before 1.0 have levels below the first one. */
export const migrations: readonly Migration[] = [
  { level: 100, name: 'first tables', sql: firstTables + operatorTables },
  {
    level: 101,
    name: 'reasons of rejections, lanes behind dead letters, outages',
    sql: `
alter table rejection_counts add column last_reason text;
alter table rejection_counts add column clock_seconds integer;
alter table pauses add column delivery_id integer;

create table outages (
  cause text not null,
  began_at integer not null,
  ended_at integer not null,
  handler text,
  refused integer not null,
  primary key (cause, began_at)
) strict, without rowid;`,
  },
  {
    level: 102,
    name: 'what the webhooks of observed sources would have passed',
    sql: `
create table observed_counts (
  hour integer not null,
  source text not null,
  scheme text not null,
  webhooks integer not null,
  primary key (hour, source, scheme)
) strict, without rowid;`,
  },
  {
    level: 103,
    name: 'looks at the records of the provider',
    sql: `
create table looks (
  source text not null,
  family text not null,
  at integer not null,
  whole_at integer not null,
  equal integer not null,
  differing text not null,
  primary key (source, family)
) strict, without rowid;

create table look_differences (
  source text not null,
  family text not null,
  entity text not null,
  outcome text not null,
  fields text not null,
  since integer not null,
  quarantined text,
  primary key (source, family, entity)
) strict, without rowid;`,
  },
  {
    level: 104,
    name: 'subjects with reconciled events',
    sql: 'alter table subjects add column reconciled integer;',
  },
  {
    level: 105,
    name: 'subjects of quarantined bodies',
    sql: `
alter table quarantine add column subject text;
drop index quarantine_problems;
create index quarantine_subjects on quarantine (subject) where status = 'held' and subject is not null;
create index quarantine_groups on quarantine (problem, subject, repeats, last_repeat_at, received_at)
  where status = 'held';`,
  },
  {
    level: 106,
    name: 'buckets of rates',
    sql: `
alter table deliveries add column rate_until integer;

-- Times are microseconds.
create table rate_buckets (
  bucket text not null,
  key text not null,
  empty_at integer not null default 0,
  closed_until integer not null default 0,
  queued_until integer not null default 0,
  overdue_until integer not null default 0,
  asked_at integer not null default 0,
  interval_us integer not null default 0,
  idle_at integer not null default 0,
  primary key (bucket, key)
) strict, without rowid;
create index rate_buckets_by_idleness on rate_buckets (idle_at);
create index rate_buckets_closed on rate_buckets (bucket, closed_until) where closed_until > 0;`,
  },
];

/** The level of the files that this version makes. */
export const newestLevel = levelOf(migrations);

/** The level of a file that has had these migrations. */
export function levelOf(list: readonly Migration[]): number {
  return list.at(-1)?.level ?? 0;
}
