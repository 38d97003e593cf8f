/** Finds where two contents of a record differ. */
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, ownMember } from '../kernel/json/json.ts';
import { normalizeInstant } from './instant.ts';

/** Returns the innermost paths at which two contents differ, through objects only. */
export function contentDifferences(
  one: unknown,
  other: unknown,
  path: readonly string[] = [],
): readonly (readonly string[])[] {
  if (!isJsonObject(one) || !isJsonObject(other)) return isSameValue(one, other) ? [] : [path];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) =>
    contentDifferences(ownMember(one, name), ownMember(other, name), [...path, name]),
  );
}

/** Treats an absent value as null, and compares instants whatever their notation. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === undefined || one === null || other === undefined || other === null)
    return (one ?? null) === (other ?? null);
  if (typeof one === 'string' && typeof other === 'string')
    return one === other || (normalizeInstant(one) ?? one) === (normalizeInstant(other) ?? other);
  return isDeepStrictEqual(one, other);
}
