/** Reads a body as JSON in UTF-8, within a depth. */
import { isUtf8 } from 'node:buffer';
import { NOT_UTF8 } from '../event/delivery.ts';
import { parseNoting, type ParsedJson } from '../kernel/json/parse-json.ts';

/** Levels of objects and arrays that a body may nest. Later steps walk the value recursively. */
const MAX_DEPTH = 64;

export type ReadJson =
  | ({ readonly ok: true } & ParsedJson)
  /** `message` says what is wrong and where, and quotes nothing of the body. */
  | { readonly ok: false; readonly message: string };

/** Reads a body as JSON: valid UTF-8, nested at most {@link MAX_DEPTH} levels. Never throws. */
export function readJson(body: Uint8Array): ReadJson {
  const text = decodeJsonText(body);
  if (text === null) return failure(NOT_UTF8);
  if (nestedDeeper(text, MAX_DEPTH))
    return failure(`The body is nested deeper than ${String(MAX_DEPTH)} levels`);
  try {
    const { value, isPlain } = parseNoting(text);
    return { ok: true, value, isPlain };
  } catch (error) {
    if (text.trim() === '') return failure('The body is empty');
    return failure(`The body is not JSON: ${describeSyntaxError(error, text)}`);
  }
}

const BYTE_ORDER_MARK = 0xfeff;

/**
 * Decodes JSON bytes, and drops a byte order mark before them (RFC 8259, section 8.1). Null when the bytes are
 * not UTF-8: a replacement character would change what was sent.
 *
 * TextDecoder costs 0.5 µs more for a webhook: it returns two-byte strings for text that is not ASCII.
 */
export function decodeJsonText(bytes: Uint8Array): string | null {
  if (!isUtf8(bytes)) return null;
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString();
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

/** `Expected ',' or '}' after property value in JSON at position 12 (line 1 column 13)` */
const PLACED = /^([A-Za-z][^"\d]*?)(?: in JSON| after JSON)? at position (\d+) \(line (\d+) column (\d+)\)$/;

/**
 * Says in words what JSON.parse found wrong. V8 names the position of most errors; the messages without a position
 * quote the body, which may hold personal data, and are not shown.
 */
function describeSyntaxError(error: unknown, text: string): string {
  const message = error instanceof SyntaxError ? error.message : '';
  const [, problem = '', position, line, column] = PLACED.exec(message) ?? [];
  if (position === undefined)
    return message === 'Unexpected end of JSON input' ? 'it ends too early' : 'unexpected character';
  const where = `line ${String(line)}, column ${String(column)}`;
  if (Number(position) === text.length) return `it ends too early, at ${where}`;
  return `${problem.charAt(0).toLowerCase()}${problem.slice(1)} at ${where}`;
}

function failure(message: string): ReadJson {
  return { ok: false, message };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether JSON text nests objects and arrays deeper than `levels`. Scans the brackets without a stack, so it can
 * run before any recursive code, also on a body of a hundred thousand brackets. For text that is not JSON it
 * computes the depth that a parser reaches before the first error.
 */
export function nestedDeeper(text: string, levels: number): boolean {
  // Webhooks contain few brackets. Counting them costs a thirtieth of scanning every character.
  return opensMore(text, levels) && reachesDeeper(text, levels);
}

/** Whether the text contains more than `max` opening brackets, those in strings included. */
function opensMore(text: string, max: number): boolean {
  let opened = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      opened += 1;
      if (opened > max) return true;
    }
  }
  return false;
}

function reachesDeeper(text: string, levels: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === BACKSLASH) at += 1;
      else if (unit === QUOTE) inString = false;
    } else if (unit === QUOTE) inString = true;
    // `[` and `{` differ in one bit, as do `]` and `}`; no other character matches.
    else if ((unit | 0x20) === 0x7b) {
      depth += 1;
      if (depth > levels) return true;
    } else if ((unit | 0x20) === 0x7d) depth -= 1;
  }
  return false;
}
