import { sql, type RawBuilder } from 'kysely';

/** The right side of `in` for a JSON list that is bound as one parameter, whatever its length. */
export function valuesOf<T extends string | number>(list: string | RawBuilder<string>): RawBuilder<T> {
  return sql<T>`(select value from json_each(${list}))`;
}
