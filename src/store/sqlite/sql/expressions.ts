/** Lists of values as parameters of SQL. */
import { sql, type RawBuilder } from 'kysely';

/**
 * The right side of `in` for a list of any length, bound as one parameter:
 * SQLite takes at most 32,766 parameters, and one SQL string can be prepared once.
 */
export function anyOf<T extends string | number>(values: readonly T[]): RawBuilder<T> {
  return valuesOf(JSON.stringify(values));
}

/** The right side of `in` for a JSON array bound as one parameter. */
export function valuesOf<T extends string | number>(list: string | RawBuilder<string>): RawBuilder<T> {
  return sql<T>`(select value from json_each(${list}))`;
}
