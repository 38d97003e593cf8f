/** Long enough for every id in use, short enough to index. */
const LONGEST = 256;

/**
 * The sender's own id of a message, or null when it gave none that can be one:
 * 1 to 256 visible ASCII characters. A header sent twice comes joined by a
 * comma and a space, and so counts as none.
 */
export function readMessageId(value: string | undefined): string | null {
  if (value === undefined || value.length > LONGEST) return null;
  return /^[\x21-\x7e]+$/.test(value) ? value : null;
}
