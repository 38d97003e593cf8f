import { decodeJsonText } from '../kernel/json/json-text.ts';
import type { JsonValue } from '../kernel/json/json.ts';
import { parseJson } from '../kernel/json/parse-json.ts';
import { findJsonError } from './find-json-error.ts';
import { nestedDeeper } from './nested-deeper.ts';

/** Levels of objects and arrays that a body may nest; what is stored is walked recursively later. */
const DEEPEST = 64;

export type ReadJson =
  | { readonly ok: true; readonly value: JsonValue }
  /** `message` says where, and quotes nothing of the body. */
  | { readonly ok: false; readonly message: string };

/** Bytes to a JSON value: UTF-8 without replacement, nested at most {@link DEEPEST} levels. Never throws. */
export function readJson(body: Uint8Array): ReadJson {
  let text: string;
  try {
    text = decodeJsonText(body);
  } catch {
    return failure('The body is not UTF-8');
  }
  if (nestedDeeper(text, DEEPEST)) return failure(`The body is nested deeper than ${String(DEEPEST)} levels`);
  try {
    return { ok: true, value: parseJson(text) };
  } catch {
    if (text.trim() === '') return failure('The body is empty');
    return failure(`The body is not JSON: ${whereItStops(text)}`);
  }
}

function whereItStops(text: string): string {
  const error = findJsonError(text);
  if (error === undefined) return 'it cannot be read';
  if (error.atEnd) return `it ends too early, at line ${String(error.line)}, column ${String(error.column)}`;
  return `unexpected character at line ${String(error.line)}, column ${String(error.column)}`;
}

function failure(message: string): ReadJson {
  return { ok: false, message };
}
