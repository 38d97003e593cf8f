import BetterSqlite3, { type Database } from 'better-sqlite3';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { checkpointAll, createCheckpoint, writeAheadLog } from './batch-commit.ts';
import { openDatabase } from '../file/open-database.ts';

const PLENTY = 1e9;

/** Opens a table on a disk with this number of free bytes. */
function openTable({ room = PLENTY } = {}) {
  const database = openDatabase(join(temporaryFolder(), 'test.db'));
  onTestFinished(() => {
    database.close();
  });
  database.exec('create table blobs (bytes)');
  /** Writes about a hundred pages. */
  const write = () => database.prepare('insert into blobs values (zeroblob(400000))').run();
  const disk = { room };
  const checkpoint = createCheckpoint(database, { free: () => disk.room });
  return { database, disk, write, checkpoint, logBytes: () => statSync(`${database.name}-wal`).size };
}

/** A connection that reads until it commits. */
function openReader({ name }: Database): Database {
  const reader = new BetterSqlite3(name);
  onTestFinished(() => {
    reader.close();
  });
  reader.exec('begin; select count(*) from blobs');
  return reader;
}

function pagesWaiting(database: Database): number {
  const { pages, copied } = writeAheadLog(database).state();
  return pages - copied;
}

test('runs a checkpoint when the log is long enough, so that it stays small', () => {
  const { database, write, checkpoint } = openTable();
  let most = 0;
  for (let count = 0; count < 60; count += 1) {
    write();
    checkpoint.runIfDue();
    most = Math.max(most, pagesWaiting(database));
  }

  expect(most).toBeGreaterThan(128);
  expect(most).toBeLessThan(256);
  expect(statSync(`${database.name}-wal`).size).toBeLessThan(2_000_000);
});

test('a slow reader holds up the checkpoint only while it reads', () => {
  const { database, write, checkpoint } = openTable();
  write();
  const reader = openReader(database);
  for (let count = 0; count < 20; count += 1) {
    write();
    checkpoint.runIfDue();
  }
  expect(pagesWaiting(database)).toBeGreaterThan(1_500);

  reader.exec('commit');
  checkpoint.runIfDue();

  expect(pagesWaiting(database)).toBe(0);
});

test('with little free space, checkpoints after each commit and truncates the log', () => {
  const { database, disk, write, checkpoint, logBytes } = openTable({ room: 1e6 });
  write();
  checkpoint.runIfDue();
  expect(pagesWaiting(database)).toBe(0);
  expect(logBytes()).toBe(0);

  disk.room = PLENTY;
  write();
  checkpoint.runIfDue();
  write();
  checkpoint.runIfDue();

  expect(pagesWaiting(database)).toBeGreaterThan(64);
});

test('makeRoom copies and truncates the log, if the file can grow by it', () => {
  const { database, disk, write, checkpoint, logBytes } = openTable();
  write();
  const fileBytes = statSync(database.name).size;
  const growth = writeAheadLog(database).growth();

  disk.room = growth - 1;
  expect(checkpoint.makeRoom()).toBe(false);
  expect(statSync(database.name).size).toBe(fileBytes);

  disk.room = growth;
  expect(checkpoint.makeRoom()).toBe(true);

  expect(statSync(database.name).size).toBe(fileBytes + growth);
  expect(growth).toBeGreaterThan(400_000);
  expect(logBytes()).toBe(0);
  // No more room can be made.
  expect(checkpoint.makeRoom()).toBe(false);
});

test('makeRoom does not truncate a log in use by a reader', () => {
  const { database, write, checkpoint, logBytes } = openTable();
  write();
  const reader = openReader(database);

  expect(checkpoint.makeRoom()).toBe(false);

  expect(logBytes()).toBeGreaterThan(0);
  expect(database.pragma('busy_timeout', { simple: true })).toBe(2_000);
  reader.exec('commit');
  expect(checkpoint.makeRoom()).toBe(true);
  expect(logBytes()).toBe(0);
});

test('checkpointAll empties the log', () => {
  const { database, write } = openTable();
  write();

  checkpointAll(database);

  expect(statSync(`${database.name}-wal`).size).toBe(0);
});
