/** Conditions of lists on instants. */
import { sql } from 'kysely';
import { afterAll, type Comparison } from './matching.ts';

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
