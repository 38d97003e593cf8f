import BetterSqlite3 from 'better-sqlite3';
import fc from 'fast-check';
import { Kysely, SqliteDialect } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { type FilterValue, type Operator, operators } from '../../src/contract/api/filter.ts';
import { matching } from './matching.ts';

interface Tables {
  things: { id: number; value: string | number | null };
}

const sqlite = new BetterSqlite3(':memory:');
sqlite.exec('create table things (id integer primary key, value)');
const query = new Kysely<Tables>({ dialect: new SqliteDialect({ database: sqlite }) });
afterAll(() => query.destroy());

async function matches(
  stored: string | number | null,
  operator: Operator,
  value: FilterValue,
): Promise<boolean> {
  await query.deleteFrom('things').execute();
  await query.insertInto('things').values({ id: 1, value: stored }).execute();
  const rows = await query
    .selectFrom('things')
    .select('id')
    .where(matching([{ field: 'thing.value', operator, value }], { 'thing.value': 'things.value' }))
    .execute();
  return rows.length === 1;
}

/** The meaning of each operator, in JavaScript. */
const meaning: Readonly<Record<Operator, (stored: string, value: string) => boolean>> = {
  $eq: (stored, value) => stored === value,
  $ne: (stored, value) => stored !== value,
  $lt: (stored, value) => compare(stored, value) < 0,
  $lte: (stored, value) => compare(stored, value) <= 0,
  $gt: (stored, value) => compare(stored, value) > 0,
  $gte: (stored, value) => compare(stored, value) >= 0,
  $contains: (stored, value) => stored.includes(value),
  $startsWith: (stored, value) => stored.startsWith(value),
  $endsWith: (stored, value) => stored.endsWith(value),
};

/** SQLite orders strings by their UTF-8 bytes. */
const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Few characters, so that strings often match; SQL wildcards and multi-byte characters included. */
const text = fc.string({
  unit: fc.constantFrom('a', 'B', 'b', '%', '_', '*', "'", 'ç', 'é', '😀', '.'),
  maxLength: 5,
});
const value = text.filter((given) => given !== '');

test.each(operators)('%s compares any strings', async (operator) => {
  await fc.assert(
    fc.asyncProperty(text, value, async (stored, given) => {
      expect(await matches(stored, operator, given)).toBe(meaning[operator](stored, given));
    }),
    { numRuns: 150 },
  );
});

test.each(operators)('%s of a missing field matches only if it is $ne', async (operator) => {
  expect(await matches(null, operator, 'a')).toBe(operator === '$ne');
});

test('compares booleans as 1 and 0, and numbers as numbers', async () => {
  expect(await matches(1, '$eq', true)).toBe(true);
  expect(await matches(0, '$eq', true)).toBe(false);
  expect(await matches(9, '$lt', 10)).toBe(true);
});

test('throws for a field without a column', () => {
  expect(() => matching([{ field: 'other', operator: '$eq', value: 1 }], {})).toThrow(
    'no column for filter other',
  );
});
