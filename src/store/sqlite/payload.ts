import type { JsonValue } from '../../kernel/json.ts';

/** Strips a byte order mark, as the parser does. */
const utf8 = new TextDecoder();

/**
 * The envelope's `data`. Null once the body is purged, and should the bytes not
 * be an envelope: only the parser's output is stored as events, and one
 * unreadable row must not keep the others from being handled.
 */
export function payload(body: Uint8Array | null): JsonValue {
  if (body === null) return null;
  try {
    const envelope = JSON.parse(utf8.decode(body)) as { readonly data?: JsonValue } | null;
    return envelope?.data ?? null;
  } catch {
    return null;
  }
}
