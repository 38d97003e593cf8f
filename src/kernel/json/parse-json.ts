/** JSON.parse without a fault of some versions of Node.js. */
import { COLON, endOfString, skipSpace } from './code-units.ts';
import { readTree, valueOfNode } from './json-tree.ts';
import type { JsonValue } from './json.ts';

/**
 * Parses JSON as JSON.parse does, and reads keys that contain escapes correctly.
 *
 * JSON.parse of Node.js 24 and 26 can misread such a key. After an object that begins alike and has a key with
 * a backslash, V8 compares that key with the escaped spelling of the new one (nodejs/node#63785). So JSON.parse
 * only validates text with such keys, and {@link readTree} reads it. Recursive: the caller bounds the depth.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  return hasEscapedKey(text) ? valueOfNode(readTree(text)) : value;
}

/** Whether a key of valid JSON contains an escape. Searches for backslashes, which most texts do not have. */
function hasEscapedKey(text: string): boolean {
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at)) {
    at = endOfString(text, at);
    if (text.charCodeAt(skipSpace(text, at)) === COLON) return true;
  }
  return false;
}
