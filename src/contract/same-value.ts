/** Compares values of a record and of an event. */
import { isDeepStrictEqual } from 'node:util';
import { normalizeInstant } from './instant.ts';

/** Treats an absent value as null, and compares instants whatever their notation. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === undefined || one === null || other === undefined || other === null)
    return (one ?? null) === (other ?? null);
  if (typeof one === 'string' && typeof other === 'string')
    return one === other || (normalizeInstant(one) ?? one) === (normalizeInstant(other) ?? other);
  return isDeepStrictEqual(one, other);
}
