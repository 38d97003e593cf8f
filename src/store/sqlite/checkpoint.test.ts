import BetterSqlite3, { type Database } from 'better-sqlite3';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkpointAll, createCheckpoint, writeAheadLog } from './checkpoint.ts';
import { openDatabase } from './open-database.ts';

function openTable() {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-checkpoint-'));
  const database = openDatabase(join(folder, 'test.db'));
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  database.exec('create table blobs (bytes)');
  /** About a hundred pages. */
  const write = () => database.prepare('insert into blobs values (zeroblob(400000))').run();
  return { database, write, checkpoint: createCheckpoint(database) };
}

function pagesWaiting(database: Database): number {
  const { pages, moved } = writeAheadLog(database).state();
  return pages - moved;
}

test('the log is moved into the file once enough waits, so it stays small', () => {
  const { database, write, checkpoint } = openTable();
  let most = 0;
  for (let count = 0; count < 60; count += 1) {
    write();
    checkpoint();
    most = Math.max(most, pagesWaiting(database));
  }

  expect(most).toBeGreaterThan(128);
  expect(most).toBeLessThan(256);
  expect(statSync(`${database.name}-wal`).size).toBeLessThan(2_000_000);
});

test('a slow reader holds the log up only as long as it reads', () => {
  const { database, write, checkpoint } = openTable();
  const reader = new BetterSqlite3(database.name);
  onTestFinished(() => {
    reader.close();
  });
  write();
  reader.exec('begin; select count(*) from blobs');
  for (let count = 0; count < 20; count += 1) {
    write();
    checkpoint();
  }
  expect(pagesWaiting(database)).toBeGreaterThan(1_500);

  reader.exec('commit');
  checkpoint();

  expect(pagesWaiting(database)).toBe(0);
});

test('emptying the log leaves nothing in it', () => {
  const { database, write } = openTable();
  write();

  checkpointAll(database);

  expect(statSync(`${database.name}-wal`).size).toBe(0);
});
