import type { JsonArray, JsonObject, JsonValue } from './json.ts';

/**
 * As JSON.parse, also of keys that are spelled with escapes.
 *
 * V8 of Node.js 24 and 26 can read such a key as another one: after an object that begins alike and has a key
 * with a backslash, it compares that with the spelling, not with what is meant (nodejs/node#63785). What was
 * parsed before must not decide what a text says, so a text with such keys is put together here.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  return hasEscapedKey(text) ? readValid(text) : value;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Whether a key of valid JSON holds an escape. Looks at what follows backslashes only: most texts have none. */
function hasEscapedKey(text: string): boolean {
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at)) {
    at = endOfString(text, at);
    if (text.charCodeAt(skipSpace(text, at)) === COLON) return true;
  }
  return false;
}

/** Behind the quote that ends a string, from a place in it that is not behind a backslash. */
function endOfString(text: string, from: number): number {
  let at = from;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at + 1;
    at += unit === BACKSLASH ? 2 : 1;
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit !== SPACE && unit !== LINE_FEED && unit !== CARRIAGE_RETURN && unit !== TAB) return at;
    at += 1;
  }
}

/** The value of a text that JSON.parse has taken. */
function readValid(text: string): JsonValue {
  let at = 0;

  function value(): JsonValue {
    at = skipSpace(text, at);
    const unit = text.charCodeAt(at);
    if (unit === OPEN_OBJECT) return object();
    if (unit === OPEN_ARRAY) return array();
    return unit === QUOTE ? string() : word();
  }

  /** From its bracket on, as each of these. */
  function object(): JsonObject {
    const members: Record<string, JsonValue> = {};
    at = skipSpace(text, at + 1);
    while (text.charCodeAt(at) !== CLOSE_OBJECT) {
      const key = string();
      // Behind the colon.
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

  /** A number, or one of the three words. */
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

function setMember(members: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === '__proto__')
    // Assigned, it would be the prototype.
    Object.defineProperty(members, key, { value, configurable: true, enumerable: true, writable: true });
  else members[key] = value;
}

/** Not so behind the end, where there is none. */
function isWord(unit: number): boolean {
  return unit > SPACE && unit !== COMMA && unit !== CLOSE_ARRAY && unit !== CLOSE_OBJECT;
}
