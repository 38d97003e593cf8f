import type { RawBuilder } from 'kysely';
import { valuesOf } from './values-of.ts';

/**
 * The right side of `in` for a list of any length, bound as one parameter:
 * SQLite takes 32,766 parameters at most, and one text can be prepared once.
 */
export function anyOf<T extends string | number>(values: readonly T[]): RawBuilder<T> {
  return valuesOf(JSON.stringify(values));
}
