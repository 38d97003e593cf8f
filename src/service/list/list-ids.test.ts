import BetterSqlite3 from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addListRevisions, countRevisions } from './list-revision-migration.ts';
import { createListIds } from './list-ids.ts';

interface Tables {
  boxes: { id: number; color: string };
}

function open(mostIds?: number) {
  const sqlite = new BetterSqlite3(':memory:');
  onTestFinished(() => {
    sqlite.close();
  });
  sqlite.exec(
    `${addListRevisions.sql} create table boxes (id integer primary key, color text); ${countRevisions('boxes')}`,
  );
  sqlite.exec(`insert into boxes values (1, 'red'), (2, 'blue'), (3, 'red'), (4, 'red')`);
  const lists = createListIds(sqlite, mostIds);
  const prepared = vi.spyOn(sqlite, 'prepare');
  const query = new Kysely<Tables>({ dialect: new SqliteDialect({ database: sqlite }) });
  const ofColor = (color: string) =>
    query.selectFrom('boxes').select('id').where('color', '=', color).orderBy('id', 'desc');
  return {
    sqlite,
    /** The list, and whether the database was asked for it. */
    read: (color: string): [number[], boolean] => {
      prepared.mockClear();
      const ids = [...lists.read(ofColor(color), ['boxes'])];
      return [ids, prepared.mock.calls.length > 0];
    },
  };
}

test('a list is read once, until its table changes in any way', () => {
  const { sqlite, read } = open();

  expect(read('red')).toEqual([[1, 3, 4], true]);
  expect(read('red')).toEqual([[1, 3, 4], false]);
  expect(read('blue')).toEqual([[2], true]);
  sqlite.exec(`insert into boxes values (5, 'red')`);
  expect(read('red')).toEqual([[1, 3, 4, 5], true]);
  sqlite.exec(`update boxes set color = 'blue' where id = 1`);
  expect(read('red')).toEqual([[3, 4, 5], true]);
  expect(read('blue')).toEqual([[1, 2], true]);
  sqlite.exec('delete from boxes where id = 3');
  expect(read('red')).toEqual([[4, 5], true]);
  expect(read('red')).toEqual([[4, 5], false]);
});

test('a change that is rolled back is none', () => {
  const { sqlite, read } = open();
  read('red');

  sqlite.exec('begin');
  sqlite.exec('delete from boxes');
  expect(read('red')).toEqual([[], true]);
  sqlite.exec('rollback');

  expect(read('red')).toEqual([[1, 3, 4], true]);
});

test('of more than is to be remembered, the lists used last stay', () => {
  const { read } = open(4);
  read('red');
  read('blue');
  expect(read('red')[1]).toBe(false);

  // None, and so always room for it.
  read('green');
  expect(read('red')[1]).toBe(false);
  expect(read('blue')[1]).toBe(false);
});

test('a list that is longer than all that may be remembered pushes out the others', () => {
  const { read } = open(2);
  read('blue');

  expect(read('red')).toEqual([[1, 3, 4], true]);
  expect(read('red')[1]).toBe(false);
  expect(read('blue')[1]).toBe(true);
});

test('a table that does not count its revisions cannot be listed', () => {
  const { sqlite, read } = open();
  sqlite.exec('delete from list_revisions');

  expect(() => read('red')).toThrow('boxes does not count its revisions');
});
