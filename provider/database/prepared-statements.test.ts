import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { keepPrepared } from './open-provider-database.ts';

function open(max: number) {
  const sqlite = new BetterSqlite3(':memory:');
  sqlite.exec('create table things (id integer primary key)');
  onTestFinished(() => {
    sqlite.close();
  });
  return { sqlite, kept: keepPrepared(sqlite, max), prepared: vi.spyOn(sqlite, 'prepare') };
}

test('prepares a statement once, and runs it with other parameters', () => {
  const { kept, prepared } = open(2);
  const insert = 'insert into things (id) values (?)';

  for (const id of [3, 4]) kept.prepare(insert).run([id]);

  expect(kept.prepare('select id from things').all([])).toEqual([{ id: 3 }, { id: 4 }]);
  expect(prepared).toHaveBeenCalledTimes(2);
});

test('drops the statement that was not used for the longest time', () => {
  const { kept, prepared } = open(2);
  const [one, two, three] = ['select 1 as n', 'select 2 as n', 'select 3 as n'] as const;

  for (const sql of [one, two, one, three, one]) kept.prepare(sql).all([]);
  expect(prepared).toHaveBeenCalledTimes(3);

  kept.prepare(two).all([]);
  expect(prepared).toHaveBeenCalledTimes(4);
});

test('reads the columns that a table has by now', () => {
  const { sqlite, kept } = open(2);
  sqlite.exec('insert into things (id) values (1)');
  const all = () => kept.prepare('select * from things').all([]);
  expect(all()).toEqual([{ id: 1 }]);

  sqlite.exec("alter table things add column name text not null default 'a'");

  expect(all()).toEqual([{ id: 1, name: 'a' }]);
});
