import { viewOf } from '../view-of.ts';

/** Room for what is decoded, in bytes; more is left to others. */
const MAX_BYTES = 64 * 1024;
/** Bytes that are looked at together, as two words; */
const STRIDE = 8;
/** the highest bits of those of a word, which no ASCII has. */
const NOT_ASCII = 0x80808080;

/** Nothing that is decoded waits for anything, so one is enough. */
const decoded = Buffer.allocUnsafeSlow(MAX_BYTES);
const words = viewOf(decoded);

/**
 * The text of UTF-8 without any character beyond U+00FF, as Portuguese is;
 * null when it has one, is not UTF-8, or is longer than 64 KiB.
 *
 * From the first character on that is not ASCII, V8 decodes UTF-8 byte by byte,
 * which costs twice as much.
 */
export function latin1Text(bytes: Uint8Array): string | null {
  const { length } = bytes;
  if (length > MAX_BYTES) return null;
  const source = viewOf(bytes);
  let from = 0;
  let to = 0;
  while (from < length) {
    for (; from + STRIDE <= length; from += STRIDE, to += STRIDE) {
      const one = source.getInt32(from);
      const other = source.getInt32(from + STRIDE / 2);
      if (((one | other) & NOT_ASCII) !== 0) break;
      words.setInt32(to, one);
      words.setInt32(to + STRIDE / 2, other);
    }
    const end = Math.min(from + STRIDE, length);
    while (from < end) {
      let unit = bytes[from++] as number;
      if (unit >= 0x80) {
        // U+0080 to U+00FF are two bytes, of which the first is C2 or C3.
        const second = bytes[from++] ?? 0;
        if ((unit | 1) !== 0xc3 || (second & 0xc0) !== 0x80) return null;
        unit = ((unit & 0x03) << 6) | (second & 0x3f);
      }
      decoded[to++] = unit;
    }
  }
  return decoded.toString('latin1', 0, to);
}
