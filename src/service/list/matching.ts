import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import type { Condition } from '../../contract/api/filter.ts';

/** Where each filter field of a list is found: `table.column`. */
export type FilterColumns = Readonly<Record<string, string>>;

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
    return comparison(sql.ref(column), condition);
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
      // A range, unlike a pattern, can follow an index. No text holds the last code point.
      return sql`(${column} >= ${value} and ${column} < ${`${String(value)}\u{10FFFF}`})`;
    case '$endsWith':
      return sql`substr(${column}, -length(${value})) = ${value}`;
  }
}
