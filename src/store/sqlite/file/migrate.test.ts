import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { migrate, needsMigration, requireKnownSchema, schemaLevel } from './migrate.ts';
import { migrations } from './migrations.ts';

const one = { level: 1, name: 'one', sql: 'create table one (a)' };
const two = { level: 2, name: 'two', sql: 'create table two (a); insert into one values (2)' };
const broken = { level: 2, name: 'broken', sql: 'create table two (a); insert into nowhere values (2)' };

test('applies the missing migrations: all to an empty file, none to a current one', () => {
  const database = new BetterSqlite3(':memory:');

  migrate(database, [one]);
  expect(schemaLevel(database)).toBe(1);
  expect(needsMigration(database, [one, two])).toBe(true);

  migrate(database, [one, two]);
  migrate(database, [one, two]);

  expect(schemaLevel(database)).toBe(2);
  expect(needsMigration(database, [one, two])).toBe(false);
  expect(database.prepare('select a from one').pluck().all()).toEqual([2]);
});

test('a failing migration leaves the file as it was', () => {
  const database = new BetterSqlite3(':memory:');
  migrate(database, [one]);

  expect(() => {
    migrate(database, [one, broken]);
  }).toThrow('nowhere');

  expect(schemaLevel(database)).toBe(1);
  const tables = database.prepare('select name from sqlite_schema').pluck().all();
  expect(tables).toEqual(['one']);
});

test('rejects a file of a newer version', () => {
  const database = new BetterSqlite3(':memory:');
  migrate(database, [one, two]);

  expect(() => {
    requireKnownSchema(database, [one]);
  }).toThrow(expect.objectContaining({ code: 'store-newer' }));
});

test('rejects a database of another program', () => {
  const database = new BetterSqlite3(':memory:');
  database.exec('create table contacts (name)');

  expect(() => {
    requireKnownSchema(database);
  }).toThrow(expect.objectContaining({ code: 'store-corrupt' }));
});

test('older quarantine entries count against the quota, as verified', () => {
  const database = new BetterSqlite3(':memory:');
  migrate(database, migrations.slice(0, 1));
  database.exec(`
    insert into quarantine (source, status, reason, message, issues, received_at, digest_key, digest, headers, body)
      values ('s', 'held', 'invalid', 'four', '[]', 1, 1, x'00', '{}', zeroblob(1000)),
             ('s', 'held', 'malformed', '', '[]', 1, 2, x'01', '{}', zeroblob(10)),
             ('s', 'released', 'malformed', '', '[]', 1, 3, x'02', '{}', zeroblob(10))`);

  migrate(database);

  const counts = database.prepare('select verified, reason, held, bytes, dropped from quarantine_counts');
  expect(counts.all()).toEqual([
    { verified: 1, reason: 'invalid', held: 1, bytes: 1520, dropped: 0 },
    { verified: 1, reason: 'malformed', held: 1, bytes: 526, dropped: 0 },
  ]);
});

test('message ids of older quarantine entries are untrusted', () => {
  const database = new BetterSqlite3(':memory:');
  migrate(database, migrations.slice(0, 1));
  database.exec(
    `insert into quarantine (source, status, reason, message, issues, received_at, message_id, digest_key, digest, headers, body)
     values ('default', 'held', 'invalid', '', '[]', 1, 'evt_9', 1, x'00', '{}', x'7b')`,
  );

  migrate(database);

  expect(database.prepare('select message_trusted from quarantine').pluck().all()).toEqual([0]);
});

test('levels count from 1 without gaps', () => {
  expect(migrations.map(({ level }) => level)).toEqual(migrations.map((_, index) => index + 1));
});

test('dead deliveries of an older file begin the history of attempts with their last one', () => {
  const database = new BetterSqlite3(':memory:');
  migrate(database, migrations.slice(0, 12));
  // The events of the deliveries do not matter here.
  database.pragma('foreign_keys = off');
  database.exec(
    `insert into deliveries (event_id, handler, lane_order, lane, status, attempts, last_error, finished_at)
     values (1, 'billing', 'subject', 1, 'dead', 4, 'Error: gone', 9), (2, 'billing', 'subject', 2, 'succeeded', 1, null, 9)`,
  );

  migrate(database);

  expect(
    database.prepare('select delivery_id, attempt, outcome, ended_at, error from attempts').all(),
  ).toEqual([{ delivery_id: 1, attempt: 4, outcome: 'dead', ended_at: 9, error: 'Error: gone' }]);
});
