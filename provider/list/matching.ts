/** Conditions of lists on fields that are no columns, and on periods. */
import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import type { Condition } from '../../src/contract/api/filter.ts';

/** Builds the SQL of a condition on a field that is not a column. */
export type Comparison = (condition: Condition) => Expression<SqlBool>;

/** The column of each filter field (`table.column`), or its {@link Comparison}. */
export type FilterColumns = Readonly<Record<string, string | Comparison>>;

/**
 * Builds the SQL of all conditions. Strings compare by code point, with case. A missing
 * field matches `$ne` and no other operator.
 *
 * @param columns every filter field that the endpoint declares.
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
      // A range, unlike LIKE, can use an index.
      return sql`(${column} >= ${value} and ${column} < ${afterAll(String(value))})`;
    case '$endsWith':
      return sql`substr(${column}, -length(${value})) = ${value}`;
  }
}

/** Returns a string that sorts after all strings with this prefix: no value contains the last code point. */
function afterAll(beginning: string): string {
  return `${beginning}\u{10FFFF}`;
}

/**
 * Compares an instant with a day, a second or an instant, given as a prefix of the instant.
 * An instant within the period is equal to it; `$gt` means after its end.
 *
 * @param column `table.column`, ISO 8601 in UTC.
 */
export function withinPeriod(column: string): Comparison {
  const instant = sql.ref(column);
  return ({ operator, value }) => {
    const start = String(value);
    const end = afterAll(start);
    switch (operator) {
      case '$eq':
        return sql`(${instant} >= ${start} and ${instant} < ${end})`;
      case '$ne':
        return sql`(${instant} is null or ${instant} < ${start} or ${instant} >= ${end})`;
      case '$lt':
        return sql`${instant} < ${start}`;
      case '$lte':
        return sql`${instant} < ${end}`;
      case '$gt':
        return sql`${instant} >= ${end}`;
      case '$gte':
        return sql`${instant} >= ${start}`;
      default:
        throw new TypeError(`no operator ${operator} for instants`);
    }
  };
}
