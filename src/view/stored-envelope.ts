import type { JsonValue } from '../kernel/json/json.ts';
import { parseJson } from '../kernel/json/parse-json.ts';

/** A stored body read again. */
export interface StoredEnvelope {
  readonly kind: string;
  readonly data: JsonValue;
}

/** The bytes as text, or `undefined` when they are not UTF-8. A byte order mark is kept. */
export function utf8Text(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

/**
 * The value that the bytes are JSON of; `undefined` when they are not JSON.
 * For reading what is stored, which includes what never fitted: it judges nothing.
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

/** The envelope in the bytes; `undefined` when it is none. */
export function storedEnvelope(body: Uint8Array): StoredEnvelope | undefined {
  const value = jsonOf(body);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  const { type, data } = value as { readonly type?: JsonValue; readonly data?: JsonValue };
  return typeof type === 'string' && data !== undefined ? { kind: type, data } : undefined;
}
