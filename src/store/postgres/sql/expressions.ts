import { sql, type RawBuilder } from 'kysely';

/** The type of an array's elements, as PostgreSQL calls it. */
export type ElementType = 'bigint' | 'integer' | 'smallint' | 'text' | 'bytea' | 'double precision';

/** A list of any length as one parameter, for `= any(...)` and `unnest(...)`. */
export function arrayOf<T extends string | number | Uint8Array | null>(
  values: readonly T[],
  type: ElementType,
): RawBuilder<T> {
  return sql<T>`${values}::${sql.raw(type)}[]`;
}

/** The condition that an expression is one of the values. */
export function isAnyOf(
  expression: string,
  values: readonly (string | number)[],
  type: ElementType,
): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(expression)} = any(${arrayOf(values, type)})`;
}
