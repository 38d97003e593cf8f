/** Finds a person in the bytes of files, such as backups. */
import { closeSync, openSync, readSync } from 'node:fs';
import { phoneSpellings, type Identifier } from '../identifier.ts';
import type { Person } from '../person.ts';

/** The bytes of one read. */
const CHUNK = 4 * 1024 * 1024;
/** How much of a chunk is read again with the next: more than any needle. */
const OVERLAP = 4 * 1024;

/** The result of searching one file. */
export interface SearchedFile {
  /** The name without its folder's path. */
  readonly name: string;
  readonly bytes: number;
  /** Occurrences of the person's identifiers, in any form. */
  readonly hits: number;
  /** Occurrences of other values that were erased: they can stand in records of other people. */
  readonly otherHits: number;
}

/**
 * Searches the bytes of files for a person: identifiers with and without punctuation and in any case, and
 * the erased values as UTF-8 and as JSON writes them. A missing file has no bytes.
 *
 * @param resumed also recognizes identifiers of which an interrupted erasure left only hashes
 *
 * No connection of this process may have the files open: closing a descriptor drops SQLite's locks.
 */
export function searchFiles(
  files: readonly { readonly path: string; readonly name: string }[],
  identifiers: readonly Identifier[],
  values: ReadonlySet<string>,
  resumed: Person | null = null,
): readonly SearchedFile[] {
  const count = countersOf(formsOf(identifiers), resumed);
  const needles = [...values].flatMap(spellings);
  return files.map(({ path, name }) => ({ name, ...searchFile(path, count, needles) }));
}

function searchFile(path: string, count: CountHits, needles: readonly Buffer[]): Omit<SearchedFile, 'name'> {
  const file = openIfThere(path);
  if (file === undefined) return { bytes: 0, hits: 0, otherHits: 0 };
  const chunk = Buffer.alloc(OVERLAP + CHUNK);
  let bytes = 0;
  let kept = 0;
  const sum = { hits: 0, otherHits: 0 };
  try {
    for (;;) {
      const read = readSync(file, chunk, kept, CHUNK, null);
      if (read === 0) break;
      const part = chunk.subarray(0, kept + read);
      // What lies in the repeated part was counted with the chunk before.
      sum.hits += count(part.toString('latin1'), kept);
      for (const needle of needles) sum.otherHits += countNeedle(part, needle, kept);
      bytes += read;
      const rest = Math.min(OVERLAP, part.length);
      chunk.copyWithin(0, part.length - rest, part.length);
      kept = rest;
    }
  } finally {
    closeSync(file);
  }
  return { bytes, ...sum };
}

/** Counts the occurrences of identifiers that end after `from`. */
type CountHits = (text: string, from: number) => number;

/** The forms are also counted of a resumed erasure: the eraser cannot vouch for what it does not recognize. */
function countersOf(forms: RegExp | null, resumed: Person | null): CountHits {
  return (text, from) => {
    const written =
      forms === null
        ? []
        : [...text.matchAll(forms)].map(offsetsOf).filter((found) => !isPartOfAddress(text, found));
    const recognized = (resumed?.findIn(text) ?? []).filter(
      (one) => !written.some(({ start, end }) => start < one.end && one.start < end),
    );
    return [...written, ...recognized].filter(({ end }) => end > from).length;
  };
}

/** `mariana@example.com` is not `ana@example.com`. */
function isPartOfAddress(text: string, { start, end }: { readonly start: number; readonly end: number }) {
  if (!/@|%40|\\u0040/i.test(text.slice(start, end))) return false;
  return (
    /[0-9A-Za-z_.+-]/.test(text.charAt(start - 1)) ||
    /^(?:[0-9A-Za-z-]|\.[0-9A-Za-z])/.test(text.slice(end, end + 2))
  );
}

function offsetsOf({ 0: found, index }: RegExpExecArray): { readonly start: number; readonly end: number } {
  return { start: index, end: index + found.length };
}

function countNeedle(part: Buffer, needle: Buffer, from: number): number {
  let count = 0;
  const start = Math.max(0, from - needle.length + 1);
  for (let at = part.indexOf(needle, start); at !== -1; at = part.indexOf(needle, at + needle.length))
    count += 1;
  return count;
}

/** A country code, and a zero with the digits of a carrier. */
const DIALLED = '(?:\\+?0{0,2}55[^0-9A-Za-z]{0,3})?(?:0(?:\\d\\d)?[^0-9A-Za-z]{0,3})?';

/** Null when every identifier is a subject: a subject's id is a number as any other, and stays. */
function formsOf(identifiers: readonly Identifier[]): RegExp | null {
  const forms = identifiers.flatMap(({ type, value }) => {
    if (type === 'subject') return [];
    if (type === 'email') return [latin1(value).replace('@', '(?:@|%40|\\\\u0040)')];
    const spaced = (digits: string): string => digits.replaceAll(/.(?=.)/g, '$&[^0-9A-Za-z]{0,3}');
    // A CPF can stand in a PIX code; ten digits of a phone are in some long number by chance.
    if (type === 'phone')
      return phoneSpellings(value).map((each) => `(?<!\\d)${DIALLED}${spaced(each)}(?!\\d)`);
    // A number of JSON has no leading zeros.
    const number = /^0{1,2}(?=[1-9])/.test(value) ? [`(?<!\\d)${value.replace(/^0+/, '')}(?!\\d)`] : [];
    return type === 'cpf' ? [spaced(value), ...number] : [spaced(value)];
  });
  return forms.length === 0 ? null : new RegExp(forms.join('|'), 'gi');
}

/** The bytes of UTF-8 as characters, escaped for an expression. */
function latin1(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** A value as text, as JSON, and as JSON of ASCII alone. */
function spellings(value: string): readonly Buffer[] {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = json.replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [...new Set([value, json, ascii])].map((spelling) => Buffer.from(spelling));
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Each one is looked for in every byte: more would take hours in a large file. */
export const MAX_SEARCHED_VALUES = 10_000;
/** Characters of all of them: one process gives them to another. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** Shorter values are in every file by chance. */
const MIN_LENGTH = 8;

/** Distinct erased values. Personal data: never printed or stored. */
export interface SearchedValues {
  readonly values: ReadonlySet<string>;
  /** Whether there were more values than a search takes. */
  readonly isOver: boolean;
}

/** Collects values up to the limits of a search. */
export function collectSearchedValues(): SearchedValues & { add(value: string): void } {
  const values = new Set<string>();
  let characters = 0;
  let isOver = false;
  return {
    values,
    get isOver() {
      return isOver;
    },
    add(value) {
      if (value.length < MIN_LENGTH || values.has(value)) return;
      if (values.size >= MAX_SEARCHED_VALUES || characters + value.length > MAX_CHARACTERS) {
        isOver = true;
        return;
      }
      values.add(value);
      characters += value.length;
    },
  };
}
