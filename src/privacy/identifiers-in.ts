/** Finds identifiers in text. */
import { isValidCpf } from '../contract/check-digits.ts';
import { phonesOf, plainEmail, type Identifier } from './identifier.ts';

/** An identifier that a text may contain, and where. */
export interface FoundIdentifier extends Identifier {
  readonly start: number;
  readonly end: number;
}

/** Digits with the punctuation and spaces that people put between them. */
const WRITTEN_DIGITS = /\+?\d(?:[\s.()/\-‐-―−]{0,3}\d)*/gu;
/** Digits with anything short between them that is no letter, as the search of the files has it. */
const ANY_DIGITS = /\+?\d(?:(?:%2[0-9A-F]|[^0-9A-Za-z]){0,3}\d)*/giu;
/** The bound of the local part is that of RFC 5321; without it the time grows with the square of the length. */
const EMAIL =
  /(?<![\p{L}\p{N}\p{M}_])[\p{L}\p{N}_][\p{L}\p{N}\p{M}._+'-]{0,63}(?:@|%40)[\p{L}\p{N}\p{M}-]+(?:\.[\p{L}\p{N}\p{M}-]+)+/giu;
const CNPJ =
  /(?<![0-9A-Z])[0-9A-Z]{2}[\s.]?[0-9A-Z]{3}[\s.]?[0-9A-Z]{3}[\s./]{0,3}[0-9A-Z]{4}[\s.\p{Pd}]{0,3}\d{2}(?![0-9A-Z])/giu;

/** A CPF as people type it. */
const TYPED_CPF = /(?<![\p{L}\d.])\d{3}[\s.]?\d{3}[\s.]?\d{3}[\s.]?\p{Pd}?\s?\d{2}(?![\p{L}\d])/gu;
/** A phone as people type it: with a plus, or with the area code apart. */
const TYPED_PHONE =
  /(?<![\p{L}\d])(?:\+\d(?:[\s.()\p{Pd}]{0,2}\d){7,14}|(?:0|55[\s.\p{Pd}]?)?(?:\(0?[1-9]{2}\)\s?|[1-9]{2}[\s.\p{Pd}])(?:9[\s.]?)?\d{4}[\s.\p{Pd}]?\d{4})(?!\d)/u;

/** The digits of a CPF without leading zeros; a shorter number is more likely an id. */
const MIN_CPF = 9;

/** Longer runs are pictures and keys, in which some digits look like the CPF of anyone. */
const MAX_RUN = 400;

/** In a longer run of digits, which is a list of numbers, no identifier has more than `MAX_GAPS` separators. */
const LIST_RUN = 32;
const MAX_GAPS = 5;

/**
 * Finds everything in a text that can be an identifier, formatted or not. A CPF is also found within a
 * longer run of digits, as in a PIX code.
 *
 * @param any whether such a CPF may have wrong check digits: then nearly every long number contains one
 * @param wide whether any separators count, and runs of any length: then prices and dates contain one
 */
export function* identifiersIn(text: string, any: boolean, wide = false): Generator<FoundIdentifier> {
  const { plain, originalOf } = plainText(text);
  for (const one of inPlainText(plain, any, wide)) yield { ...one, ...originalOf(one) };
}

/** Whether a text that somebody typed names a person beyond doubt: bare digits after a colon are the id of a subject. */
export function namesPerson(text: string): boolean {
  const { plain } = plainText(text);
  if (/\b(?:cpf|email|phone):/u.test(plain) || plain.search(EMAIL) >= 0 || TYPED_PHONE.test(plain))
    return true;
  return [...plain.matchAll(TYPED_CPF)].some(
    ({ 0: typed, index }) =>
      isValidCpf(typed.replaceAll(/\D/g, '')) &&
      !(/^\d+$/u.test(typed) && /(?<!\btext):$/u.test(plain.slice(0, index))),
  );
}

function* inPlainText(text: string, any: boolean, wide: boolean): Generator<FoundIdentifier> {
  for (const match of text.matchAll(wide ? ANY_DIGITS : WRITTEN_DIGITS))
    if (match[0].length >= 8 && (wide || match[0].replaceAll(/\D/g, '').length <= MAX_RUN))
      yield* inDigits(match, any);
  if (/@|%40/.test(text)) {
    for (const { 0: found, index } of text.matchAll(EMAIL))
      for (const address of addressesOf(plainEmail(found.replace(/%40/i, '@'))))
        yield { type: 'email', value: address, start: index, end: index + found.length };
  }
  for (const { 0: found, index } of text.matchAll(CNPJ)) {
    const value = found.replaceAll(/[^0-9A-Z]/gi, '').toUpperCase();
    yield { type: 'cnpj', value, start: index, end: index + found.length };
  }
}

/** Slides windows of the lengths of a CPF and of phones over a run of digits. */
function* inDigits({ 0: run, index: offset }: RegExpExecArray, any: boolean): Generator<FoundIdentifier> {
  const offsets = [...run.matchAll(/%2[0-9A-F]|\d/gi)].flatMap(({ 0: found, index }) =>
    found.length === 1 ? [index] : [],
  );
  const digits = offsets.map((offset) => run.charAt(offset)).join('');
  const gaps = [0];
  for (let at = 1; at < offsets.length; at += 1)
    gaps.push(gaps[at - 1]! + (offsets[at] === offsets[at - 1]! + 1 ? 0 : 1));
  const maxGaps = offsets.length > LIST_RUN ? MAX_GAPS : Infinity;
  for (let from = 0; from + 8 <= digits.length; from += 1) {
    for (let length = 8; length <= 15 && from + length <= digits.length; length += 1) {
      if (gaps[from + length - 1]! - gaps[from]! > maxGaps) break;
      const first = offsets[from]!;
      const last = offsets[from + length - 1]!;
      const isWhole = offsets[from - 1] !== first - 1 && offsets[from + length] !== last + 1;
      if (!isWhole && length !== 11) continue;
      const value = digits.slice(from, from + length);
      const hasPlus = run.charAt(first - 1) === '+';
      const at = { start: offset + (hasPlus ? first - 1 : first), end: offset + last + 1 };
      if (length === 11 && (isWhole || any || isValidCpf(value))) yield { type: 'cpf', value, ...at };
      // A number of JSON has lost its leading zeros, also where an error quotes it.
      if (isWhole && length >= MIN_CPF && length < 11)
        yield { type: 'cpf', value: value.padStart(11, '0'), ...at };
      if (isWhole)
        for (const phone of phonesOf(value, last - first < length))
          yield { type: 'phone', value: phone, ...at };
    }
  }
}

/** An address, the one without its tag, and the one after an apostrophe, which may be a quote: `b'ana@…'`. */
function* addressesOf(address: string): Generator<string> {
  yield address;
  const untagged = address.replace(/\+[^@]*/, '');
  if (untagged !== address) yield untagged;
  const quoted = /'([^'@]+@.*)$/u.exec(address)?.[1];
  if (quoted !== undefined) yield quoted;
}

/** Finds what a number can identify: JSON has no leading zeros, so a CPF may be shorter. */
export function* identifiersOfNumber(number: number): Generator<Identifier> {
  const digits = String(Math.abs(number));
  if (!/^\d{8,15}$/.test(digits)) return;
  if (digits.length >= MIN_CPF && digits.length <= 11) yield { type: 'cpf', value: digits.padStart(11, '0') };
  for (const value of phonesOf(digits, true)) yield { type: 'phone', value };
}

/** Characters that may stand for others, or for nothing: beyond Latin letters. */
const UNUSUAL = /[\p{Cf}\u0300-\u{10ffff}]/u;
/** Every second byte of ASCII text in UTF-16. */
const NUL = '\0';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text in plain characters, and where its offsets are in the original. */
export interface PlainText {
  readonly plain: string;
  readonly originalOf: (span: Span) => Span;
}

function usualForm(character: string): string {
  if (character === NUL || /\p{Cf}/u.test(character)) return '';
  const usual = character.normalize('NFKC');
  return /^\p{Nd}$/u.test(usual) ? digitOf(usual) : usual;
}

/** A decimal digit of any script by its value. Unicode has the ten of a script in a row, from zero. */
function digitOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  let first = point;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((point - first) % 10);
}

/** Replaces digits of other scripts and the like by the usual ones (NFKC), and drops invisible characters. */
export function plainText(text: string): PlainText {
  if (!UNUSUAL.test(text) && !text.includes(NUL))
    return { plain: text, originalOf: ({ start, end }) => ({ start, end }) };
  const starts: number[] = [];
  const ends: number[] = [];
  let plain = '';
  let at = 0;
  for (const character of text) {
    const usual = usualForm(character);
    for (let unit = 0; unit < usual.length; unit += 1) {
      starts.push(at);
      ends.push(at + character.length);
    }
    plain += usual;
    at += character.length;
  }
  return { plain, originalOf: ({ start, end }) => ({ start: starts[start] ?? at, end: ends[end - 1] ?? 0 }) };
}
