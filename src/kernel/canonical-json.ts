import type { JsonValue } from './json.ts';

/**
 * JSON with sorted keys and no white space: equal text for equal values,
 * whatever the key order, white space or escapes they arrived with.
 *
 * Follows RFC 8785 except that a number which JSON text can hold and a double
 * cannot (`1e400`, parsed as Infinity) is written `Infinity`, not refused: the
 * text is only ever hashed. Depth is bounded by the parser (64 levels).
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : String(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item as JsonValue)).join(',')}]`;
  const object = value as Readonly<Record<string, JsonValue>>;
  // Sorted by UTF-16 code units, which is the default order and RFC 8785's.
  const members = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key] as JsonValue)}`);
  return `{${members.join(',')}}`;
}
