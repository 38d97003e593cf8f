/**
 * PostgreSQL stores no NUL in text, and senders may send one. NUL becomes U+0001 and `0`, U+0001 becomes U+0001
 * and `1`, so that different strings stay different.
 */
function encodeText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the characters that are escaped
  return /[\u0000\u0001]/u.test(text)
    ? text.replaceAll('\u0001', '\u00011').replaceAll('\u0000', '\u00010')
    : text;
}

export function decodeText(stored: string): string {
  if (!stored.includes('\u0001')) return stored;
  return stored.replaceAll('\u00010', '\u0000').replaceAll('\u00011', '\u0001');
}

/** Encodes the strings of a parameter, also those in an array. */
export function encodeParameter(value: unknown): unknown {
  if (typeof value === 'string') return encodeText(value);
  return Array.isArray(value) ? value.map(encodeParameter) : value;
}
