import type { Migration } from '../database/migration.ts';

export const addListRevisions: Migration = {
  name: 'list revisions',
  sql: `
    create table list_revisions (table_name text primary key, revision integer not null) without rowid;
  `,
};

/**
 * Counts every change of the table's rows, whoever makes it: what was worked out
 * from the table holds as long as the count stands still.
 */
export function countRevisions(table: string): string {
  const bump = `begin update list_revisions set revision = revision + 1 where table_name = '${table}'; end;`;
  return `
    insert into list_revisions values ('${table}', 0);
    create trigger ${table}_inserted after insert on ${table} ${bump}
    create trigger ${table}_updated after update on ${table} ${bump}
    create trigger ${table}_deleted after delete on ${table} ${bump}
  `;
}
