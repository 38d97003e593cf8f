import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { allMigrations } from './migrations/all-migrations.ts';
import { migrate, needsMigration, refuseUnknownSchema, schemaLevel } from './migrate.ts';

const one = { level: 1, name: 'one', sql: 'create table one (a)' };
const two = { level: 2, name: 'two', sql: 'create table two (a); insert into one values (2)' };
const broken = { level: 2, name: 'broken', sql: 'create table two (a); insert into nowhere values (2)' };

test('an empty file gets all migrations, an older one those it lacks, a present one none', () => {
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

test('what fails in the middle leaves the file as it was', () => {
  const database = new BetterSqlite3(':memory:');
  migrate(database, [one]);

  expect(() => {
    migrate(database, [one, broken]);
  }).toThrow('nowhere');

  expect(schemaLevel(database)).toBe(1);
  const tables = database.prepare('select name from sqlite_schema').pluck().all();
  expect(tables).toEqual(['one']);
});

test('a file of a newer version is refused', () => {
  const database = new BetterSqlite3(':memory:');
  migrate(database, [one, two]);

  expect(() => {
    refuseUnknownSchema(database, [one]);
  }).toThrow(expect.objectContaining({ code: 'store-newer' }));
});

test('a database of another program is refused, and left alone', () => {
  const database = new BetterSqlite3(':memory:');
  database.exec('create table contacts (name)');

  expect(() => {
    refuseUnknownSchema(database);
  }).toThrow(expect.objectContaining({ code: 'store-corrupt' }));
});

test('levels count from 1 without gaps', () => {
  expect(allMigrations.map(({ level }) => level)).toEqual(allMigrations.map((_, index) => index + 1));
});
