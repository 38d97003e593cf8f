import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { migrate, needsMigration, requireKnownSchema, schemaLevel } from './migrate.ts';
import { migrations } from './migrations.ts';

const one = { level: 101, name: 'one', sql: 'create table one (a)' };
const two = { level: 102, name: 'two', sql: 'create table two (a); insert into one values (2)' };
const broken = { level: 102, name: 'broken', sql: 'create table two (a); insert into nowhere values (2)' };

test('applies the missing migrations: all to an empty file, none to a current one', () => {
  const database = new BetterSqlite3(':memory:');

  migrate(database, [one]);
  expect(schemaLevel(database)).toBe(101);
  expect(needsMigration(database, [one, two])).toBe(true);

  migrate(database, [one, two]);
  migrate(database, [one, two]);

  expect(schemaLevel(database)).toBe(102);
  expect(needsMigration(database, [one, two])).toBe(false);
  expect(database.prepare('select a from one').pluck().all()).toEqual([2]);
});

test('a failing migration leaves the file as it was', () => {
  const database = new BetterSqlite3(':memory:');
  migrate(database, [one]);

  expect(() => {
    migrate(database, [one, broken]);
  }).toThrow('nowhere');

  expect(schemaLevel(database)).toBe(101);
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

test('rejects a file of a version before 1.0, and says how its events come over', () => {
  const database = new BetterSqlite3(':memory:');
  migrate(database);
  database.pragma('user_version = 17');

  expect(() => {
    requireKnownSchema(database);
  }).toThrow(
    expect.objectContaining({
      code: 'store-unsupported',
      message: expect.stringContaining('portaria events export') as string,
    }),
  );
});

test('levels rise', () => {
  const levels = migrations.map(({ level }) => level);
  expect(levels).toEqual([...new Set(levels)].toSorted((left, right) => left - right));
});
