import type { Migration } from '../database/migration.ts';
import { KEPT_CHANGES } from './kept-changes.ts';

export const addListRevisions: Migration = {
  name: 'list revisions, and which records the last of them have changed',
  sql: `
    create table list_revisions (table_name text primary key, revision integer not null) without rowid;
    -- The newest of each table, in a ring: so it stays small.
    create table list_changes (
      table_name text not null,
      slot integer not null,
      revision integer not null,
      record_id integer not null,
      primary key (table_name, slot)
    ) without rowid;
  `,
};

/**
 * Counts every change of the table's rows, whoever makes it, and notes which record
 * it was of: what was worked out from the table holds as long as the count stands
 * still, and can be brought up to date by the records that have changed since.
 *
 * @param record the column that lists of this table are of.
 */
export function countRevisions(table: string, record = 'id'): string {
  const bump = (row: 'new' | 'old') => `begin
      update list_revisions set revision = revision + 1 where table_name = '${table}';
      insert or replace into list_changes
        select table_name, revision % ${String(KEPT_CHANGES)}, revision, ${row}.${record}
        from list_revisions where table_name = '${table}';
    end;`;
  return `
    insert into list_revisions values ('${table}', 0);
    create trigger ${table}_inserted after insert on ${table} ${bump('new')}
    create trigger ${table}_updated after update on ${table} ${bump('new')}
    create trigger ${table}_deleted after delete on ${table} ${bump('old')}
  `;
}
