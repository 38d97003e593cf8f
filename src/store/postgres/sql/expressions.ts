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

/** Returns a function that makes a list of one value of each row: a column for `unnest(...)`. */
export function columnsOf<R>(rows: readonly R[]) {
  return <T extends string | number | Uint8Array | null>(
    value: (row: R) => T,
    type: ElementType,
  ): RawBuilder<T> => arrayOf(rows.map(value), type);
}

/** Returns where each part begins when they are put together, from 1; null for one that is missing. */
export function startsOf(parts: readonly (Uint8Array | null)[]): readonly (number | null)[] {
  let start = 1;
  return parts.map((part) => {
    if (part === null) return null;
    const own = start;
    start += part.length;
    return own;
  });
}

/** The condition that an expression is one of the values. */
export function isAnyOf(
  expression: string,
  values: readonly (string | number)[],
  type: ElementType,
): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(expression)} = any(${arrayOf(values, type)})`;
}
