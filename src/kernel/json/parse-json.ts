import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isWord,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  setMember,
  skipSpace,
} from './code-units.ts';
import type { JsonArray, JsonObject, JsonValue } from './json.ts';

/**
 * Parses JSON as JSON.parse does, and reads keys that contain escapes correctly.
 *
 * JSON.parse of Node.js 24 and 26 can misread such a key. After an object that begins alike and has a key with
 * a backslash, V8 compares that key with the escaped spelling of the new one (nodejs/node#63785). So JSON.parse
 * only validates text with such keys, and {@link readValid} builds its value.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  return hasEscapedKey(text) ? readValid(text) : value;
}

/** Whether a key of valid JSON contains an escape. Searches for backslashes, which most texts do not have. */
function hasEscapedKey(text: string): boolean {
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at)) {
    at = endOfString(text, at);
    if (text.charCodeAt(skipSpace(text, at)) === COLON) return true;
  }
  return false;
}

/** Returns the index after the closing quote. `from` is inside the string and not after a backslash. */
function endOfString(text: string, from: number): number {
  let at = from;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at + 1;
    at += unit === BACKSLASH ? 2 : 1;
  }
}

/** Reads text that JSON.parse accepts. Recursive: the caller bounds the depth. */
function readValid(text: string): JsonValue {
  let at = 0;

  function value(): JsonValue {
    at = skipSpace(text, at);
    const unit = text.charCodeAt(at);
    if (unit === OPEN_OBJECT) return object();
    if (unit === OPEN_ARRAY) return array();
    return unit === QUOTE ? string() : word();
  }

  function object(): JsonObject {
    const members: Record<string, JsonValue> = {};
    at = skipSpace(text, at + 1);
    while (text.charCodeAt(at) !== CLOSE_OBJECT) {
      const key = string();
      // Skips the colon.
      at = skipSpace(text, at) + 1;
      setMember(members, key, value());
      skipComma();
    }
    at += 1;
    return members;
  }

  function array(): JsonArray {
    const items: JsonValue[] = [];
    at = skipSpace(text, at + 1);
    while (text.charCodeAt(at) !== CLOSE_ARRAY) {
      items.push(value());
      skipComma();
    }
    at += 1;
    return items;
  }

  function string(): string {
    const from = at;
    at = endOfString(text, from + 1);
    return JSON.parse(text.slice(from, at)) as string;
  }

  /** Reads a number, `true`, `false` or `null`. */
  function word(): JsonValue {
    const from = at;
    while (isWord(text.charCodeAt(at))) at += 1;
    return JSON.parse(text.slice(from, at)) as JsonValue;
  }

  function skipComma(): void {
    at = skipSpace(text, at);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }

  return value();
}
