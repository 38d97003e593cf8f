/** JSON.parse that rounds no id, and without a fault of some versions of Node.js. */
import { COLON, endOfString, skipSpace } from './code-units.ts';
import { readTree, valueOfNode } from './json-tree.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** A parsed text. */
export interface ParsedJson {
  readonly value: JsonValue;
  /** Whether JSON.parse alone gave the value, and every whole number of it is at most 2^53. */
  readonly isPlain: boolean;
}

/**
 * Parses JSON as JSON.parse does, but reads a whole number that a double would round as the text of its digits, and
 * keys that contain escapes correctly.
 *
 * JSON.parse of Node.js 24 and 26 can misread such a key. After an object that begins alike and has a key with
 * a backslash, V8 compares that key with the escaped spelling of the new one (nodejs/node#63785). So JSON.parse
 * only validates text with such keys or numbers, and {@link readTree} reads it. Recursive: the caller bounds the depth.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): JsonValue {
  return parseNoting(text).value;
}

/** Does what {@link parseJson} does, and says whether that took more than JSON.parse. */
export function parseNoting(text: string): ParsedJson {
  const value = JSON.parse(text) as JsonValue;
  const isPlain = hasSafeNumbers(value) && !hasEscapedKey(text);
  return { value: isPlain ? value : valueOfNode(readTree(text)), isPlain };
}

/** Runs for every webhook. A search of the text for long numbers would take twice as long. */
function hasSafeNumbers(value: JsonValue): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(hasSafeNumbers);
  const object = value as JsonObject;
  for (const key in object) if (!hasSafeNumbers(object[key] as JsonValue)) return false;
  return true;
}

/** Whether a key of valid JSON contains an escape. Searches for backslashes, which most texts do not have. */
function hasEscapedKey(text: string): boolean {
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at)) {
    at = endOfString(text, at);
    if (text.charCodeAt(skipSpace(text, at)) === COLON) return true;
  }
  return false;
}
