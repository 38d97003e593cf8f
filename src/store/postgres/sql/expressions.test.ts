import { expect, test } from 'vitest';
import { createQueryBuilder } from './connection.ts';
import { insertOf, unnestOf, type Columns } from './expressions.ts';

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
