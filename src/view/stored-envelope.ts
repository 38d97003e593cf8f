import type { JsonValue } from '../kernel/json/json.ts';
import { parseJson } from '../kernel/json/parse-json.ts';

/** The envelope in a stored body. */
export interface StoredEnvelope {
  readonly kind: string;
  readonly data: JsonValue;
}

/** The bytes as a string, or `undefined` when they are not UTF-8. Keeps a byte order mark. */
export function utf8Text(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

/**
 * The JSON value of the bytes; `undefined` when they are not JSON. Stored bodies
 * include invalid ones, so this validates nothing.
 */
export function jsonOf(body: Uint8Array): JsonValue | undefined {
  const text = utf8Text(body);
  if (text === undefined) return undefined;
  try {
    return parseJson(text.replace(/^\uFEFF/u, ''));
  } catch {
    return undefined;
  }
}

/** The envelope in the bytes; `undefined` when they hold none. */
export function storedEnvelope(body: Uint8Array): StoredEnvelope | undefined {
  const value = jsonOf(body);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  const { type, data } = value as { readonly type?: JsonValue; readonly data?: JsonValue };
  return typeof type === 'string' && data !== undefined ? { kind: type, data } : undefined;
}
