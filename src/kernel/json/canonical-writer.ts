import type { JsonObject, JsonValue } from './json.ts';
import { createMemberOrder } from './member-order.ts';

/** Room for a webhook of usual size, in bytes; it grows, */
const FIRST_ROOM = 16 * 1024;
/** and what was needed for a very large one is given back. */
const MAX_ROOM_KEPT = 1024 * 1024;
/** UTF-8 takes at most so many bytes for a UTF-16 unit. */
const BYTES_PER_UNIT = 3;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7d];

/**
 * Writes canonical JSON straight into bytes, see `canonicalJson`. To put a text
 * together, and then flatten and encode it, costs half as much again.
 */
export class CanonicalWriter {
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_ROOM);
  #at = 0;
  readonly #memberOrder = createMemberOrder();

  /** The bytes stand until the next call. */
  write(value: JsonValue): Buffer {
    if (this.#bytes.length > MAX_ROOM_KEPT) this.#bytes = Buffer.allocUnsafeSlow(FIRST_ROOM);
    this.#at = 0;
    this.#value(value);
    return this.#bytes.subarray(0, this.#at);
  }

  #value(value: JsonValue): void {
    if (typeof value === 'string') this.#string(value);
    // Minus zero is zero, as in JSON.stringify.
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
    const { places, prefixes } = this.#memberOrder(Object.keys(object));
    for (let index = 0; index < places.length; index += 1) {
      this.#copy(prefixes[index] as Uint8Array);
      this.#value(values[places[index] as number] as JsonValue);
    }
    this.#byte(CLOSE_OBJECT);
  }

  #string(text: string): void {
    const bytes = this.#roomFor(text.length * BYTES_PER_UNIT + 2);
    let at = this.#at;
    bytes[at++] = QUOTE;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      // Escapes, surrogates and what takes three bytes are rare, and left to those who know them.
      if (unit < 0x20 || unit === QUOTE || unit === BACKSLASH || unit >= 0x800) {
        this.#quoted(JSON.stringify(text));
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

  #quoted(text: string): void {
    this.#at += this.#roomFor(text.length * BYTES_PER_UNIT).write(text, this.#at);
  }

  #ascii(text: string): void {
    const bytes = this.#roomFor(text.length);
    let at = this.#at;
    for (let index = 0; index < text.length; index += 1) bytes[at++] = text.charCodeAt(index);
    this.#at = at;
  }

  /** Byte by byte: TypedArray.set costs more for the few bytes of a name. */
  #copy(source: Uint8Array): void {
    const bytes = this.#roomFor(source.length);
    let at = this.#at;
    for (let index = 0; index < source.length; index += 1) bytes[at++] = source[index] as number;
    this.#at = at;
  }

  #byte(byte: number): void {
    this.#roomFor(1)[this.#at++] = byte;
  }

  #roomFor(more: number): Buffer {
    const needed = this.#at + more;
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
      this.#bytes.copy(grown, 0, 0, this.#at);
      this.#bytes = grown;
    }
    return this.#bytes;
  }
}
