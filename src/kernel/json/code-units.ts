/** The characters that structure JSON, as UTF-16 code units, and steps over them. */
import type { JsonValue } from './json.ts';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** Whether a code unit belongs to a number, `true`, `false` or `null`. False for NaN, which follows the end of a text. */
export function isWord(unit: number): boolean {
  return unit > SPACE && unit !== COMMA && unit !== CLOSE_ARRAY && unit !== CLOSE_OBJECT;
}

/** Sets an own member, whatever its name is. */
export function setMember(members: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === '__proto__')
    // Assigning would set the prototype.
    Object.defineProperty(members, key, { value, configurable: true, enumerable: true, writable: true });
  else members[key] = value;
}

/** Returns the index after the closing quote of a string. `from` is inside of it and not after a backslash. */
export function endOfString(text: string, from: number): number {
  for (let at = from; ;) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at + 1;
    at += unit === BACKSLASH ? 2 : 1;
  }
}

/** Returns the index of the next code unit that is no white space. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit !== SPACE && unit !== LINE_FEED && unit !== CARRIAGE_RETURN && unit !== TAB) return at;
    at += 1;
  }
}
