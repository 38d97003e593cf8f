import type { Database } from 'better-sqlite3';
import type { Migration } from './migration.ts';

export const addSetAsideIndexes: Migration = {
  name: 'indexes that are set aside while a table is filled',
  sql: 'create table set_aside_indexes (name text primary key, sql text not null) without rowid;',
};

/**
 * Takes a table's indexes away while many records come: each record would touch a
 * page of every index, which for a million of them is a hundred times what is
 * stored at last. Lists stay right meanwhile, and become slow.
 */
export function setIndexesAside(sqlite: Database, table: string): void {
  sqlite
    .transaction(() => {
      // Those that tables have by their own definition are made without a statement, and stay.
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

/** Makes all again that are set aside: also at the next start, where a process was killed before it did. */
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
