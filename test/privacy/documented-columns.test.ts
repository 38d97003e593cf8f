/** docs/internals/privacy.md lists every column of text or bytes, so that an auditor misses none. */
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { migrate } from '../../src/store/sqlite/file/migrate.ts';
import { contentTables } from '../../src/store/shared/privacy/content-tables.ts';
import { documentedColumns } from './documented-columns.ts';

function storedColumns(): readonly string[] {
  const database = new BetterSqlite3(':memory:');
  migrate(database);
  const text = `select t.name || '.' || c.name from sqlite_schema t, pragma_table_xinfo(t.name) c
    where t.type = 'table' and t.name not like 'sqlite_%' and c.type in ('TEXT', 'BLOB') order by 1`;
  return database.prepare<[], string>(text).pluck().all();
}

test('every column of text or bytes is listed once', () => {
  const { erased, other } = documentedColumns();
  expect([...erased, ...other].toSorted()).toEqual(storedColumns().toSorted());
});

test('the erased columns are those that an erasure reads, and the digests that it keys', () => {
  const read = Object.values(contentTables).flatMap(({ from, texts, body }) => {
    const [table] = from.split(' ');
    return [...texts, ...(body ? ['body'] : [])].map((name) => `${table!}.${name}`);
  });
  const keyed = [
    'events.digest',
    'events.message_digest',
    'quarantine.canonical_digest',
    'quarantine.digest',
  ];
  expect([...read, ...keyed].toSorted()).toEqual(documentedColumns().erased);
});
