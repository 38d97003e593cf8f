const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes JSON bytes, and drops a byte order mark before them (RFC 8259, section 8.1).
 *
 * @throws TypeError when the bytes are not UTF-8: a replacement character would change what was sent.
 */
export function decodeJsonText(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}
