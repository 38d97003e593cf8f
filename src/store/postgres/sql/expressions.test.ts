import { expect, test } from 'vitest';
import { createQueryBuilder } from './connection.ts';
import { asOneStatement, insertOf, unnestOf, type Columns } from './expressions.ts';

interface Lane {
  readonly handler: string;
  readonly lane: number;
}

const lanes: readonly Lane[] = [
  { handler: 'invoices', lane: 7 },
  { handler: 'fines', lane: 9 },
];
const columns: Columns<Lane> = {
  handler: ['text', ({ handler }) => handler],
  lane: ['bigint', ({ lane }) => lane],
};

function compiled(query: ReturnType<typeof insertOf>) {
  const { sql, parameters } = query.compile(createQueryBuilder());
  return { sql, parameters };
}

test('a table of rows has one parameter for each column, and each column its own values', () => {
  expect(compiled(unnestOf('lanes', lanes, columns))).toEqual({
    sql: 'unnest($1::text[], $2::bigint[]) as lanes (handler, lane)',
    parameters: [
      ['invoices', 'fines'],
      [7, 9],
    ],
  });
});

test('the numbers of rows are the last column, wherever the list names them', () => {
  const numbered = compiled(unnestOf('lanes', lanes, { at: 'place', ...columns }));
  expect(numbered.sql).toBe('unnest($1::text[], $2::bigint[]) with ordinality as lanes (handler, lane, at)');
});

test('the columns of an insert are those of its values', () => {
  expect(compiled(insertOf('paused_lanes', lanes, columns)).sql).toBe(
    'insert into paused_lanes (handler, lane) select * from unnest($1::text[], $2::bigint[])',
  );
});

test('inserts become one statement, with the parameters of all in order', () => {
  const one = insertOf('paused', lanes.slice(0, 1), columns);
  const other = insertOf('ended', lanes.slice(1), columns);

  expect(compiled(asOneStatement([one]))).toEqual(compiled(one));
  expect(compiled(asOneStatement([one, other, one]))).toEqual({
    sql:
      'with inserted_0 as (insert into paused (handler, lane) select * from unnest($1::text[], $2::bigint[])' +
      '), inserted_1 as (insert into ended (handler, lane) select * from unnest($3::text[], $4::bigint[])' +
      ') insert into paused (handler, lane) select * from unnest($5::text[], $6::bigint[])',
    parameters: [['invoices'], [7], ['fines'], [9], ['invoices'], [7]],
  });
});
