import type { JsonValue } from '../../../kernel/json/json.ts';
import { parseJson } from '../../../kernel/json/parse-json.ts';

/** The parser takes a body that begins with one, and JSON does not. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * The envelope's `data`. Null once the body is purged, and should the text not
 * be an envelope: only the parser's output is stored as events, and one
 * unreadable row must not keep the others from being handled.
 */
export function payload(body: string | null): JsonValue {
  if (body === null) return null;
  try {
    const json = body.startsWith(BYTE_ORDER_MARK) ? body.slice(1) : body;
    const envelope = parseJson(json) as { readonly data?: JsonValue } | null;
    return envelope?.data ?? null;
  } catch {
    return null;
  }
}
