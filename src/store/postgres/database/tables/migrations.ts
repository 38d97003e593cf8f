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

/** All migrations, in order. */
export const migrations: readonly Migration[] = [
  { level: FIRST_LEVEL, name: 'first tables', worksWith: FIRST_LEVEL, sql: firstTables + operatorTables },
  {
    level: 101,
    name: 'reasons of rejections, lanes behind dead letters, outages',
    worksWith: FIRST_LEVEL,
    sql: `
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
