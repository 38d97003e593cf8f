/** Values as parameters of SQL: lists, and patterns of kinds. */
import { sql, type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool } from 'kysely';
import type { DeliveryStatus } from '../../queries.ts';
import type { DatabaseSchema } from '../../shared/tables.ts';

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

/**
 * Converts a kind or wildcard to an SQLite GLOB. `*` means one or more
 * characters in a wildcard but none or more in a GLOB, where `?` and `[` are
 * special too.
 */
export function kindGlob(pattern: string): string {
  return pattern.replaceAll(/[?[]/g, (special) => `[${special}]`).replaceAll(/\*+/g, '?*');
}

/**
 * The condition that a delivery has a status, worded like the partial indexes:
 * they find dead and unfinished deliveries however many succeeded.
 */
export function hasStatus(
  eb: ExpressionBuilder<DatabaseSchema, 'deliveries'>,
  status: DeliveryStatus,
): Expression<SqlBool> {
  switch (status) {
    case 'dead':
      return eb('deliveries.status', '=', sql.lit('dead'));
    case 'pending':
    case 'running':
      return eb.and([eb('deliveries.finished_at', 'is', null), eb('deliveries.status', '=', status)]);
    case 'succeeded':
    case 'skipped':
      return eb('deliveries.status', '=', status);
  }
}
