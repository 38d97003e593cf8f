import type { JsonObject, JsonValue } from './json.ts';

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
    const found = this.#next();
    if (found === '{') return this.#object(parsed);
    if (found === '[') return this.#array(parsed);
    if (found.startsWith('"') || typeof parsed !== 'number' || String(parsed) === found)
      return parsed ?? null;
    // A value in the place of another is no number of this text.
    return Object.is(Number(found), parsed) ? json.rawJSON(found) : parsed;
  }

  #object(parsed: JsonValue | undefined): JsonValue {
    const object = isObject(parsed) ? parsed : undefined;
    let copy: Record<string, JsonValue> | undefined;
    for (let token = this.#next(); token !== '}'; token = this.#next()) {
      if (token === ',') continue;
      const key = JSON.parse(token) as string;
      // Skips the colon.
      this.#next();
      const before = object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
      const after = this.value(before);
      if (object === undefined || before === undefined) continue;
      if (copy === undefined && after === before) continue;
      // fromEntries defines own properties, so a member named `__proto__` stays a member.
      copy ??= Object.fromEntries(Object.entries(object));
      // Of equal names the last one counts, as for JSON.parse.
      Object.defineProperty(copy, key, {
        value: after,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return copy ?? parsed ?? null;
  }

  #array(parsed: JsonValue | undefined): JsonValue {
    const items = Array.isArray(parsed) ? (parsed as readonly JsonValue[]) : undefined;
    let copy: JsonValue[] | undefined;
    for (let at = 0; ; at += 1) {
      this.#skipSpace();
      if (this.#text[this.#at] === ']') break;
      const before = items?.[at];
      const after = this.value(before);
      if (items !== undefined && before !== undefined && after !== before) {
        copy ??= [...items];
        copy[at] = after;
      }
      this.#skipSpace();
      if (this.#text[this.#at] === ',') this.#at += 1;
    }
    this.#at += 1;
    return copy ?? parsed ?? null;
  }

  /** The next string, number, word or punctuation mark. */
  #next(): string {
    TOKEN.lastIndex = this.#at;
    const token = TOKEN.exec(this.#text)?.[1] ?? '}';
    this.#at = TOKEN.lastIndex;
    return token;
  }

  #skipSpace(): void {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
  }
}

const TOKEN = /[\s\uFEFF]*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+)/gsuy;
const SPACE = /\s*/gsuy;

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
