import type { JsonObject, JsonValue } from './json.ts';
import { createMemberOrder } from './member-order.ts';

const memberOrder = createMemberOrder();

/** Needs no escape in JSON. Long texts are left to JSON.stringify, which is faster on them. */
const LONGEST_PLAIN = 64;
const ESCAPED = /["\\\p{Cc}\p{Cs}]/u;

/**
 * JSON with sorted keys and no white space: equal text for equal values,
 * whatever the key order, white space or escapes they arrived with.
 *
 * Follows RFC 8785 except that a number which JSON text can hold and a double
 * cannot (`1e400`, parsed as Infinity) is written `Infinity`, not refused: the
 * text is only ever hashed. Depth is bounded by the parser (64 levels).
 */
export function canonicalJson(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return value.length <= LONGEST_PLAIN && !ESCAPED.test(value) ? `"${value}"` : JSON.stringify(value);
    case 'number':
      // Minus zero is zero, as in JSON.stringify.
      return String(value === 0 ? 0 : value);
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      if (value === null) return 'null';
      return Array.isArray(value) ? ofArray(value) : ofObject(value as JsonObject);
  }
}

function ofArray(items: readonly JsonValue[]): string {
  let text = '';
  for (const item of items) text += `${text === '' ? '' : ','}${canonicalJson(item)}`;
  return `[${text}]`;
}

function ofObject(object: JsonObject): string {
  const { keys, prefixes } = memberOrder(Object.keys(object));
  let text = '';
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string;
    text += `${index === 0 ? '' : ','}${prefixes[index] as string}${canonicalJson(object[key] as JsonValue)}`;
  }
  return `{${text}}`;
}
