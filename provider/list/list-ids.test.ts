import BetterSqlite3 from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addListRevisions, countRevisions } from './list-revision-migration.ts';
import { KEPT_CHANGES } from './kept-changes.ts';
import { createListIds } from './list-ids.ts';
import type { MemoryBounds } from './remembered-lists.ts';

interface Tables {
  boxes: { id: number; color: string };
  lids: { id: number; box_id: number };
}

/** Bytes of so many lists, which have so many ids in all. */
const room = (lists: number, ids: number) => ({
  maxBytes: lists * 1_024 + ids * 8,
  maxListsOfOrganization: 100,
});

function open(bounds?: MemoryBounds) {
  const sqlite = new BetterSqlite3(':memory:');
  onTestFinished(() => {
    sqlite.close();
  });
  sqlite.exec(
    `${addListRevisions.sql}
     create table boxes (id integer primary key, color text); ${countRevisions('boxes')}
     create table lids (id integer primary key, box_id integer); ${countRevisions('lids')}`,
  );
  sqlite.exec(`insert into boxes values (1, 'red'), (2, 'blue'), (3, 'red'), (4, 'red')`);
  const prepared = vi.spyOn(sqlite, 'prepare');
  const query = new Kysely<Tables>({ dialect: new SqliteDialect({ database: sqlite }) });
  const lists = createListIds({ sqlite, query }, bounds);
  const ofColor = (color: string) =>
    query.selectFrom('boxes').select('id').where('color', '=', color).orderBy('id', 'desc');
  return {
    sqlite,
    query,
    lists,
    /** Whether all was read since the last time, or only what has changed. */
    howRead: () => (prepared.mock.calls.some(([sql]) => sql.includes('json_each')) ? 'changes' : 'all'),
    /** The list, and whether the database was asked for it. */
    read: async (color: string, organization = 1): Promise<[number[], boolean]> => {
      prepared.mockClear();
      const ids = [...(await lists.read(ofColor(color), ['boxes'], organization))];
      return [ids, prepared.mock.calls.length > 0];
    },
  };
}

test('a list is read once, until its table changes in any way', async () => {
  const { sqlite, read } = open();

  expect(await read('red')).toEqual([[1, 3, 4], true]);
  expect(await read('red')).toEqual([[1, 3, 4], false]);
  expect(await read('blue')).toEqual([[2], true]);
  sqlite.exec(`insert into boxes values (5, 'red')`);
  expect(await read('red')).toEqual([[1, 3, 4, 5], true]);
  sqlite.exec(`update boxes set color = 'blue' where id = 1`);
  expect(await read('red')).toEqual([[3, 4, 5], true]);
  expect(await read('blue')).toEqual([[1, 2], true]);
  sqlite.exec('delete from boxes where id = 3');
  expect(await read('red')).toEqual([[4, 5], true]);
  expect(await read('red')).toEqual([[4, 5], false]);
});

test('after changes only the records that have changed are asked for', async () => {
  const { sqlite, read, howRead } = open();
  await read('red');
  sqlite.exec(
    `insert into boxes values (5, 'red'), (9, 'blue'); update boxes set color = 'blue' where id = 3`,
  );

  expect(await read('red')).toEqual([[1, 4, 5], true]);
  expect(howRead()).toBe('changes');
});

test('after more changes than are known, all is read', async () => {
  const { sqlite, read, howRead } = open();
  await read('red');
  const repaint = sqlite.prepare(`update boxes set color = ? where id = 2`);
  for (let change = 0; change < KEPT_CHANGES; change += 1) repaint.run(change % 2 === 0 ? 'green' : 'red');
  await read('red');
  expect(howRead()).toBe('changes');
  for (let change = 0; change <= KEPT_CHANGES; change += 1) repaint.run(change % 2 === 0 ? 'red' : 'blue');

  expect((await read('red'))[0]).toEqual([1, 2, 3, 4]);
  expect(howRead()).toBe('all');
});

test('after a change of another table that it reads, all is read', async () => {
  const { sqlite, query, lists } = open();
  const covered = query.selectFrom('boxes').innerJoin('lids', 'lids.box_id', 'boxes.id').select('boxes.id');
  sqlite.exec('insert into lids values (1, 3)');
  expect([...(await lists.read(covered, ['boxes', 'lids'], 1))]).toEqual([3]);

  sqlite.exec(`insert into lids values (2, 4); update boxes set color = 'green' where id = 1`);

  expect([...(await lists.read(covered, ['boxes', 'lids'], 1))]).toEqual([3, 4]);
});

test('what a transaction may still take back is neither shown nor remembered', async () => {
  const { query, read } = open();
  let seen: ReturnType<typeof read> | undefined;
  const transaction = query.transaction().execute(async (changes) => {
    await changes.insertInto('boxes').values({ id: 5, color: 'red' }).execute();
    seen = read('red');
    await changes.insertInto('boxes').values({ id: 6, color: 'red' }).execute();
    throw new Error('taken back');
  });

  await expect(transaction).rejects.toThrow('taken back');
  expect(await seen).toEqual([[1, 3, 4], true]);
  // As many changes as were taken back: a count alone could not tell them apart.
  await query.insertInto('boxes').values({ id: 7, color: 'red' }).execute();
  expect((await read('red'))[0]).toEqual([1, 3, 4, 7]);
});

test('of more than is to be remembered, the lists used last stay', async () => {
  const { read } = open(room(2, 4));
  await read('red');
  await read('blue');
  expect((await read('red'))[1]).toBe(false);

  // Without a single id, it takes room all the same.
  await read('green');
  expect((await read('red'))[1]).toBe(false);
  expect((await read('blue'))[1]).toBe(true);
});

test('of an organization only so many lists stay, also where they have no ids', async () => {
  const { read } = open({ maxBytes: 1_000_000, maxListsOfOrganization: 3 });
  await read('red', 2);
  for (const color of ['green', 'black', 'white', 'pink']) await read(color);

  expect((await read('black'))[1]).toBe(false);
  expect((await read('green'))[1]).toBe(true);
  expect((await read('red', 2))[1]).toBe(false);
});

test('an organization that asks for many lists pushes out its own only', async () => {
  const { read } = open(room(5, 10));
  await read('blue', 2);
  for (let color = 0; color < 100; color += 1) await read(String(color));

  expect((await read('99'))[1]).toBe(false);
  expect((await read('blue', 2))[1]).toBe(false);
  expect((await read('0'))[1]).toBe(true);
});

test('a list that is longer than all that may be remembered pushes out the others', async () => {
  const { read } = open(room(1, 2));
  await read('blue');

  expect(await read('red')).toEqual([[1, 3, 4], true]);
  expect((await read('red'))[1]).toBe(false);
  expect((await read('blue'))[1]).toBe(true);
});

test('a table that does not count its revisions cannot be listed', async () => {
  const { sqlite, read } = open();
  sqlite.exec('delete from list_revisions');

  await expect(read('red')).rejects.toThrow('boxes does not count its revisions');
});
