/** Drops the indexes of a table while it is filled, and creates them again. */
import type { Database } from 'better-sqlite3';
import { table, text } from './table.ts';

export const setAsideIndexTable = table(
  'set_aside_indexes',
  { name: text(), sql: text() },
  { constraints: ['primary key (name)'], withoutRowid: true },
);

/**
 * Drops the indexes of a table before many records are inserted: each insert would write a
 * page of every index. Lists remain correct and become slow.
 */
export function setIndexesAside(sqlite: Database, table: string): void {
  sqlite
    .transaction(() => {
      // Indexes of primary keys and unique constraints have no SQL, and stay.
      const indexes = sqlite
        .prepare<[string], { name: string; sql: string }>(
          `select name, sql from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null`,
        )
        .all(table);
      const keep = sqlite.prepare('insert into set_aside_indexes (name, sql) values (@name, @sql)');
      for (const index of indexes) {
        keep.run(index);
        sqlite.exec(`drop index ${index.name}`);
      }
    })
    .immediate();
}

/** Recreates the dropped indexes. Runs at every start too, in case the process was killed before. */
export function restoreIndexes(sqlite: Database): void {
  const setAside = sqlite.prepare<[], { name: string; sql: string }>(
    'select name, sql from set_aside_indexes',
  );
  if (setAside.get() === undefined) return;
  sqlite
    .transaction(() => {
      for (const { sql } of setAside.all()) sqlite.exec(sql);
      sqlite.exec('delete from set_aside_indexes');
    })
    .immediate();
}
