/** Reads the envelopes of stored bodies. */
import type { Contract } from '../../contract/contract.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import { parseJson } from '../../kernel/json/parse-json.ts';

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

/** A stored body, with what its source's envelope is read from. */
export interface StoredBody {
  readonly source: string;
  readonly body: Uint8Array | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** The envelope in a stored body, as its source sends it; `undefined` when there is none. */
export function storedEnvelope(
  { source, body, headers }: StoredBody,
  contract: Contract,
): StoredEnvelope | undefined {
  const value = body === null ? undefined : jsonOf(body);
  if (value === undefined) return undefined;
  const envelope = contract.envelopeOf(source);
  try {
    const [kind, data] = [envelope.type(value, headers), envelope.data(value)];
    return typeof kind === 'string' && data !== undefined ? { kind, data } : undefined;
  } catch {
    // The functions of a custom source's envelope may throw on a body that they do not expect.
    return undefined;
  }
}
