import BetterSqlite3 from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { expect, test } from 'vitest';
import { prepare, type Named } from './statement.ts';

interface Notes {
  notes: { id: number; text: string | null; rank: number };
}

function openNotes() {
  const database = new BetterSqlite3(':memory:');
  database.exec(`
    create table notes (id integer primary key, text text, rank integer not null);
    insert into notes values (1, 'it''s', 1), (2, null, 1), (3, 'who? @me', 2)`);
  const texts: string[] = [];
  const recording = new Proxy(database, {
    get(target, property) {
      if (property !== 'prepare') return Reflect.get(target, property, target) as unknown;
      return (text: string) => {
        texts.push(text);
        return target.prepare(text);
      };
    },
  });
  return {
    database: recording,
    query: new Kysely<Notes>({ dialect: new SqliteDialect({ database }) }),
    texts,
  };
}

test('binds parameters by position, however often their names are used', () => {
  const { database, query } = openNotes();
  const find = prepare(database, (p: Named<{ rank: number; least: number }>) =>
    query
      .selectFrom('notes')
      .select(['id', 'text'])
      .where('id', '>=', p.least)
      .where((eb) => eb.or([eb('rank', '=', p.rank), eb('id', '=', p.rank)]))
      .orderBy('id'),
  );

  expect(find.all({ rank: 1, least: 2 })).toEqual([{ id: 2, text: null }]);
  expect(find.get({ least: 1, rank: 3 })).toEqual({ id: 3, text: 'who? @me' });
  expect(find.get({ least: 4, rank: 3 })).toBeUndefined();
});

test('writes constants of the query as literals', () => {
  const { database, query, texts } = openNotes();
  const set = prepare(database, (p: Named<{ id: number }>) =>
    query
      .updateTable('notes')
      .set({ text: "it's new", rank: 7 })
      .where('id', '=', p.id)
      .where('rank', '=', 1),
  );

  expect(set.run({ id: 1 }).changes).toBe(1);
  expect(texts[0]?.match(/\?/g)).toHaveLength(1);
  expect(set.run({ id: 3 }).changes).toBe(0);
  expect(database.prepare('select text, rank from notes where id = 1').get()).toEqual({
    text: "it's new",
    rank: 7,
  });
});

test('is prepared once, when it first runs', () => {
  const { database, query, texts } = openNotes();
  const find = prepare(database, (p: Named<{ id: number }>) =>
    query.selectFrom('notes').select('rank').where('id', '=', p.id),
  );
  expect(texts).toEqual([]);

  expect(find.get({ id: 1 })).toEqual({ rank: 1 });
  expect(find.all({ id: 3 })).toEqual([{ rank: 2 }]);

  expect(texts).toHaveLength(1);
});

test.each([[0.5], [Number.NaN], [2 ** 60], [new Uint8Array(1)]])('%o cannot be a constant', (value) => {
  const { database, query } = openNotes();

  expect(() =>
    prepare(database, () =>
      query
        .selectFrom('notes')
        .select('id')
        .where('rank', '=', value as number),
    ).all({}),
  ).toThrow(TypeError);
});
