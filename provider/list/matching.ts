import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import type { Condition } from '../../src/contract/api/filter.ts';

/** What a filter compares where that is no column: answers the condition as SQL. */
export type Comparison = (condition: Condition) => Expression<SqlBool>;

/** Where each filter field of a list is found: `table.column`, or how it is compared. */
export type FilterColumns = Readonly<Record<string, string | Comparison>>;

/**
 * All conditions as SQL. Text compares letter for letter, case included. A field
 * that a record does not have equals nothing, so it is not equal (`$ne`) to
 * everything, and is neither before nor after anything.
 *
 * @param columns has every field of the endpoint's declared filters.
 */
export function matching(conditions: readonly Condition[], columns: FilterColumns): Expression<SqlBool> {
  const terms = conditions.map((condition) => {
    const column = columns[condition.field];
    if (column === undefined) throw new TypeError(`no column for filter ${condition.field}`);
    return typeof column === 'string' ? comparison(sql.ref(column), condition) : column(condition);
  });
  return terms.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(terms, sql` and `)}`;
}

function comparison(column: RawBuilder<unknown>, { operator, value: given }: Condition): RawBuilder<SqlBool> {
  const value = typeof given === 'boolean' ? Number(given) : given;
  switch (operator) {
    case '$eq':
      return sql`${column} = ${value}`;
    case '$ne':
      return sql`${column} is not ${value}`;
    case '$lt':
      return sql`${column} < ${value}`;
    case '$lte':
      return sql`${column} <= ${value}`;
    case '$gt':
      return sql`${column} > ${value}`;
    case '$gte':
      return sql`${column} >= ${value}`;
    case '$contains':
      return sql`instr(${column}, ${value}) > 0`;
    case '$startsWith':
      // A range, unlike a pattern, can follow an index.
      return sql`(${column} >= ${value} and ${column} < ${afterAll(String(value))})`;
    case '$endsWith':
      return sql`substr(${column}, -length(${value})) = ${value}`;
  }
}

/** Sorts behind all texts that begin with this one: no text holds the last code point. */
export function afterAll(beginning: string): string {
  return `${beginning}\u{10FFFF}`;
}
