/** The list of migrations, oldest first. */
import { firstTables } from './first-tables.ts';
import { knownServer } from './known-server-table.ts';
import { operatorTables } from './operator-tables.ts';
import { PRUNED_DAYS_LEVEL, prunedDays } from './pruned-days-table.ts';

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

export const migrations: readonly Migration[] = [
  { level: 1, name: 'first tables', worksWith: 1, sql: firstTables + operatorTables },
  {
    level: 2,
    name: 'definitions of processes',
    worksWith: 1,
    // Null: the process is of a version that records them in known_definitions only.
    sql: 'alter table processes add column definitions text collate "C"',
  },
  { level: PRUNED_DAYS_LEVEL, name: 'pruned days', worksWith: 1, sql: prunedDays },
  {
    level: 4,
    name: 'runs of erasures',
    worksWith: 1,
    // Null: no run has begun, or a version erases that does not record them.
    sql: 'alter table erasures add column runs text collate "C"',
  },
  {
    level: 5,
    name: 'changes of failure groups',
    worksWith: 1,
    // Rows that add up with the row of their group: `dead` is added, and of the times the latest counts. `began_at` is
    // when the group had no failure before. An earlier version does not see what is not merged yet.
    sql: `create table failure_changes (
      group_id bigint not null, dead bigint not null, began_at bigint, last_at bigint
    )`,
  },
  { level: 6, name: 'known server', worksWith: 1, sql: knownServer },
  {
    level: 7,
    name: 'index of unfinished deliveries by event',
    worksWith: 1,
    // A query has to say that it asks by event (`unfinishedOfEvent`). Otherwise the planner takes this index for questions
    // by lane, too, when nothing was unfinished at the last analyze: it believes both indexes to be empty, and then reads
    // all of this one for each lane. Earlier versions find the oldest unfinished event by the index of lanes.
    sql: `drop index deliveries_unfinished;
      create index deliveries_unfinished on deliveries (event_id) where finished_at is null and event_id > 0`,
  },
  {
    level: 8,
    name: 'starts of deliveries',
    worksWith: 1,
    // How often a delivery was started. An earlier version does not count its own starts, nor look at the number.
    sql: 'alter table deliveries add column starts bigint not null default 0',
  },
];

/** The level of the tables that this version makes. */
export const newestLevel = Math.max(...migrations.map(({ level }) => level));
