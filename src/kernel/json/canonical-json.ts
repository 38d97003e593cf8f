/** Canonical JSON (RFC 8785), from which digests are computed. */
import type { JsonObject, JsonValue } from './json.ts';
import { createMemberOrder } from './member-order.ts';

/** Writing is synchronous, so one writer serves all calls. */
let shared: CanonicalWriter | undefined;

/**
 * Writes JSON with sorted keys and no white space (RFC 8785): equal values give equal text, whatever their key
 * order, white space, escapes or spelling of numbers.
 *
 * Unlike RFC 8785 it writes Infinity as such: the text is only hashed and compared, and the parser rejects
 * numbers such as `1e400`. The parser also bounds the depth (64 levels).
 */
export function canonicalJson(value: JsonValue): string {
  return canonicalBytes(value).toString();
}

/** Writes {@link canonicalJson} in UTF-8. Use the bytes at once: the next call overwrites them. */
export function canonicalBytes(value: JsonValue): Buffer {
  shared ??= new CanonicalWriter();
  return shared.write(value);
}

/** Initial buffer size in bytes: room for a webhook of usual size. */
const INITIAL_BYTES = 16 * 1024;
/** A larger buffer is released after use. */
const MAX_KEPT_BYTES = 1024 * 1024;
/** The most bytes that UTF-8 takes for one UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7d];

/** Writes straight into bytes. Building a string, flattening and encoding it costs half as much again. */
class CanonicalWriter {
  #bytes: Buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #at = 0;
  readonly #memberOrder = createMemberOrder();

  write(value: JsonValue): Buffer {
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
    this.#at = 0;
    this.#value(value);
    return this.#bytes.subarray(0, this.#at);
  }

  #value(value: JsonValue): void {
    if (typeof value === 'string') this.#string(value);
    // Minus zero becomes zero, as in JSON.stringify.
    else if (typeof value === 'number') this.#ascii(String(value === 0 ? 0 : value));
    else if (typeof value === 'boolean') this.#ascii(value ? 'true' : 'false');
    else if (value === null) this.#ascii('null');
    else if (Array.isArray(value)) this.#array(value);
    else this.#object(value as JsonObject);
  }

  #array(items: readonly JsonValue[]): void {
    this.#byte(OPEN_ARRAY);
    for (let index = 0; index < items.length; index += 1) {
      if (index > 0) this.#byte(COMMA);
      this.#value(items[index] as JsonValue);
    }
    this.#byte(CLOSE_ARRAY);
  }

  #object(object: JsonObject): void {
    const values = Object.values(object);
    if (values.length === 0) {
      this.#ascii('{}');
      return;
    }
    const { indexes, prefixes } = this.#memberOrder(Object.keys(object));
    for (let index = 0; index < indexes.length; index += 1) {
      this.#copy(prefixes[index] as Uint8Array);
      this.#value(values[indexes[index] as number] as JsonValue);
    }
    this.#byte(CLOSE_OBJECT);
  }

  #string(text: string): void {
    const bytes = this.#reserve(text.length * MAX_BYTES_PER_UNIT + 2);
    let at = this.#at;
    bytes[at++] = QUOTE;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      // JSON.stringify handles the rare rest: escapes, surrogates and three-byte characters.
      if (unit < 0x20 || unit === QUOTE || unit === BACKSLASH || unit >= 0x800) {
        this.#encoded(JSON.stringify(text));
        return;
      }
      if (unit < 0x80) bytes[at++] = unit;
      else {
        bytes[at++] = 0xc0 | (unit >> 6);
        bytes[at++] = 0x80 | (unit & 0x3f);
      }
    }
    bytes[at++] = QUOTE;
    this.#at = at;
  }

  #encoded(json: string): void {
    this.#at += this.#reserve(json.length * MAX_BYTES_PER_UNIT).write(json, this.#at);
  }

  #ascii(text: string): void {
    const bytes = this.#reserve(text.length);
    let at = this.#at;
    for (let index = 0; index < text.length; index += 1) bytes[at++] = text.charCodeAt(index);
    this.#at = at;
  }

  /** Copies byte by byte: TypedArray.set costs more for the few bytes of a name. */
  #copy(source: Uint8Array): void {
    const bytes = this.#reserve(source.length);
    let at = this.#at;
    for (let index = 0; index < source.length; index += 1) bytes[at++] = source[index] as number;
    this.#at = at;
  }

  #byte(byte: number): void {
    this.#reserve(1)[this.#at++] = byte;
  }

  #reserve(more: number): Buffer {
    const needed = this.#at + more;
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
      this.#bytes.copy(grown, 0, 0, this.#at);
      this.#bytes = grown;
    }
    return this.#bytes;
  }
}
