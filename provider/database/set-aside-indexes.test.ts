import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openProviderDatabase } from './open-provider-database.ts';
import { restoreIndexes, setIndexesAside } from './set-aside-indexes.ts';

const indexesOf = (sqlite: Database) =>
  sqlite
    .prepare(
      `select name, sql from sqlite_schema where type = 'index' and tbl_name = 'charges' order by name`,
    )
    .all();

function open(path = ':memory:') {
  const { sqlite } = openProviderDatabase(path);
  onTestFinished(() => {
    sqlite.close();
  });
  return sqlite;
}

test('restores dropped indexes as they were', () => {
  const sqlite = open();
  const before = indexesOf(sqlite);

  setIndexesAside(sqlite, 'charges');
  expect(indexesOf(sqlite)).toEqual([]);
  restoreIndexes(sqlite);

  expect(before).not.toEqual([]);
  expect(indexesOf(sqlite)).toEqual(before);
  restoreIndexes(sqlite);
  expect(indexesOf(sqlite)).toEqual(before);
});

test('restores at the next start what a killed process dropped', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-indexes-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const path = join(folder, 'provider.db');
  const first = open(path);
  const before = indexesOf(first);
  setIndexesAside(first, 'charges');

  expect(indexesOf(open(path))).toEqual(before);
});
