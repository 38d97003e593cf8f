import { CanonicalWriter } from './canonical-writer.ts';
import type { JsonValue } from './json.ts';

/** Nothing that is written waits for anything, so one is enough. */
const writer = new CanonicalWriter();

/**
 * JSON with sorted keys and no white space: equal text for equal values,
 * whatever the key order, white space or escapes they arrived with.
 *
 * Follows RFC 8785 except that Infinity is written as such, not refused: the
 * text is only ever hashed and compared, and the parser lets no body with a
 * number such as `1e400` through. Depth is bounded by the parser (64 levels).
 */
export function canonicalJson(value: JsonValue): string {
  return writer.write(value).toString();
}

/** {@link canonicalJson} in UTF-8. To be used at once: the next call writes over it. */
export function canonicalBytes(value: JsonValue): Uint8Array {
  return writer.write(value);
}
