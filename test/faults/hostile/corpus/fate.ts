import { isUtf8 } from 'node:buffer';

/** The status of a body that is sent for the first time. */
export type Fate = 202 | 400 | 422;

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The documented status of a body of unknown kind (docs/responses.md, docs/limits.md), from JSON.parse and the
 * written rules and without the product's code.
 */
export function fateOf(body: string | Uint8Array): Fate {
  const bytes = Buffer.from(body as Uint8Array);
  if (!isUtf8(bytes)) return 400;
  const text = (bytes.indexOf(BYTE_ORDER_MARK) === 0 ? bytes.subarray(3) : bytes).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 400;
  }
  if (levelsOf(text) > 64 || !isEnvelope(value)) return 400;
  return holdsOnlyDoubles(value.data) ? 202 : 422;
}

/** The nesting depth of valid JSON, counted by brackets outside of strings. */
function levelsOf(text: string): number {
  let level = 0;
  let deepest = 0;
  for (const [bracket] of text.replaceAll(/"(?:[^"\\]|\\.)*"/gsu, '').matchAll(/[[\]{}]/gu)) {
    level += bracket === '[' || bracket === '{' ? 1 : -1;
    deepest = Math.max(deepest, level);
  }
  return deepest;
}

function isEnvelope(value: unknown): value is { readonly data: unknown } {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const own = new Map<string, unknown>(Object.entries(value));
  const type = own.get('type');
  return typeof type === 'string' && isKind(type) && own.has('data');
}

/** A kind has 1 to 200 UTF-16 units without control characters and lone surrogates. */
function isKind(type: string): boolean {
  // A lone surrogate does not survive UTF-8.
  if (type.length < 1 || type.length > 200 || Buffer.from(type).toString() !== type) return false;
  return Array.from(type, (character) => character.codePointAt(0) ?? 0).every(
    (code) => code > 0x1f && (code < 0x7f || code > 0x9f),
  );
}

function holdsOnlyDoubles(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value !== 'object' || Object.values(value).every(holdsOnlyDoubles);
}
