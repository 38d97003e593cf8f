import type { JsonObject, JsonValue } from './json.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  isWord,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  setMember,
  skipSpace,
} from './code-units.ts';

/** A number that JavaScript would spell differently. `JSON.stringify` writes it as it was sent. */
export interface SentNumber extends JsonObject {
  readonly rawJSON: string;
}

/** Newer than the types of TypeScript (Node.js 22 has it). */
const json = JSON as unknown as {
  rawJSON(text: string): SentNumber;
  isRawJSON(value: unknown): boolean;
};

export function isSentNumber(value: unknown): value is SentNumber {
  return json.isRawJSON(value);
}

/** A number of sixteen digits or more, with an exponent, with a zero at the end of its fraction, or minus zero. */
const UNUSUAL = /(?:\d\.?){16}|\d[eE]|\.\d*0(?!\d)|-0/u;

/**
 * Puts the numbers of a text in the place of those of its value, wherever parsing has changed their spelling:
 * 12345678901234567890 and 1.10 stay as they were sent.
 *
 * @param value what the text parses to, or that with some values replaced by others, which stay
 * @param text valid JSON
 */
export function withSentNumbers(value: JsonValue, text: string): JsonValue {
  return UNUSUAL.test(text) ? new Reader(text).value(value) : value;
}

/** Walks a text and its value side by side. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the next value of the text. `undefined` skips it. */
  value(parsed: JsonValue | undefined): JsonValue {
    const unit = this.#skipSpace();
    if (unit === OPEN_OBJECT) return this.#object(parsed);
    if (unit === OPEN_ARRAY) return this.#array(parsed);
    if (unit === QUOTE) {
      this.#skipString();
      return parsed ?? null;
    }
    const found = this.#word();
    if (typeof parsed !== 'number' || String(parsed) === found) return parsed ?? null;
    // A value in the place of another is no number of this text.
    return Object.is(Number(found), parsed) ? json.rawJSON(found) : parsed;
  }

  #object(parsed: JsonValue | undefined): JsonValue {
    const object = isObject(parsed) ? parsed : undefined;
    let copy: Record<string, JsonValue> | undefined;
    this.#at += 1;
    while (this.#skipSpace() !== CLOSE_OBJECT) {
      const key = this.#key();
      const before = object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
      const after = this.value(before);
      this.#skipComma();
      if (object === undefined || before === undefined) continue;
      if (copy === undefined && after === before) continue;
      copy ??= copyOf(object);
      // Of equal names the last one counts, as for JSON.parse.
      setMember(copy, key, after);
    }
    this.#at += 1;
    return copy ?? parsed ?? null;
  }

  #array(parsed: JsonValue | undefined): JsonValue {
    const items = Array.isArray(parsed) ? (parsed as readonly JsonValue[]) : undefined;
    let copy: JsonValue[] | undefined;
    this.#at += 1;
    for (let at = 0; this.#skipSpace() !== CLOSE_ARRAY; at += 1) {
      const before = items?.[at];
      const after = this.value(before);
      this.#skipComma();
      if (items === undefined || before === undefined || after === before) continue;
      copy ??= [...items];
      copy[at] = after;
    }
    this.#at += 1;
    return copy ?? parsed ?? null;
  }

  /** Reads a name and its colon. */
  #key(): string {
    const from = this.#at;
    this.#skipString();
    const spelled = this.#text.slice(from + 1, this.#at - 1);
    const key = spelled.includes('\\') ? (JSON.parse(`"${spelled}"`) as string) : spelled;
    this.#skipSpace();
    this.#at += 1;
    return key;
  }

  /** Skips a string of any length: a quote after an even number of backslashes ends it. */
  #skipString(): void {
    for (let end = this.#text.indexOf('"', this.#at + 1); ; end = this.#text.indexOf('"', end + 1)) {
      if (end === -1) throw new SyntaxError('a string of a text of JSON has no end');
      let first = end;
      while (this.#text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
      this.#at = end + 1;
      if ((end - first) % 2 === 0) return;
    }
  }

  /** Reads a number, `true`, `false` or `null`. */
  #word(): string {
    const from = this.#at;
    while (isWord(this.#text.charCodeAt(this.#at))) this.#at += 1;
    if (this.#at === from) throw new SyntaxError('a text of JSON has a value that is none');
    return this.#text.slice(from, this.#at);
  }

  #skipComma(): void {
    if (this.#skipSpace() === COMMA) this.#at += 1;
  }

  /** Returns the code unit that follows. */
  #skipSpace(): number {
    this.#at = skipSpace(this.#text, this.#at);
    return this.#text.charCodeAt(this.#at);
  }
}

function copyOf(object: JsonObject): Record<string, JsonValue> {
  // fromEntries defines own properties, so a member named `__proto__` stays a member.
  return Object.fromEntries(Object.entries(object));
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
