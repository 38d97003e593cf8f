import { isValidCpf } from '../contract/check-digits.ts';
import { nationalPhone, plainEmail, type Identifier } from './identifier.ts';

/** An identifier that a text may contain, and where. */
export interface FoundIdentifier extends Identifier {
  readonly start: number;
  readonly end: number;
}

/** Digits with the punctuation and spaces that people put between them. */
const DIGITS = /\+?\d(?:[\s.()/\-‐-―−]{0,3}\d)*/gu;
const EMAIL = /[\p{L}\p{N}][\p{L}\p{N}\p{M}._+-]*(?:@|%40)[\p{L}\p{N}\p{M}-]+(?:\.[\p{L}\p{N}\p{M}-]+)+/giu;
const CNPJ = /(?<![0-9A-Z])[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}\/?[0-9A-Z]{4}-?\d{2}(?![0-9A-Z])/giu;

/** The digits of a CPF without leading zeros; a shorter number is more likely an id. */
const MIN_CPF = 9;

/** Longer runs are pictures and keys, in which some digits look like anything. */
const MAX_RUN = 400;

/**
 * Finds everything in a text that can be an identifier, formatted or not. A CPF is also found within a
 * longer run of digits, as in a PIX code.
 *
 * @param any whether such a CPF may have wrong check digits: then nearly every long number contains one
 */
export function* identifiersIn(text: string, any: boolean): Generator<FoundIdentifier> {
  for (const match of text.matchAll(DIGITS)) if (match[0].length >= 8) yield* inDigits(match, any);
  if (/@|%40/.test(text)) {
    for (const { 0: found, index } of text.matchAll(EMAIL)) {
      const value = plainEmail(found.replace(/%40/i, '@'));
      yield { type: 'email', value, start: index, end: index + found.length };
    }
  }
  for (const { 0: found, index } of text.matchAll(CNPJ)) {
    const value = found.replaceAll(/[./-]/g, '').toUpperCase();
    yield { type: 'cnpj', value, start: index, end: index + found.length };
  }
}

/** Slides windows of the lengths of a CPF and of phones over a run of digits. */
function* inDigits({ 0: run, index: offset }: RegExpExecArray, any: boolean): Generator<FoundIdentifier> {
  const places = [...run.matchAll(/\d/g)].map(({ index }) => index);
  if (places.length > MAX_RUN) return;
  const digits = places.map((place) => run.charAt(place)).join('');
  for (let from = 0; from + 8 <= digits.length; from += 1) {
    for (let length = 8; length <= 15 && from + length <= digits.length; length += 1) {
      const value = digits.slice(from, from + length);
      const first = places[from]!;
      const last = places[from + length - 1]!;
      const isWhole = places[from - 1] !== first - 1 && places[from + length] !== last + 1;
      const hasPlus = first === 1 && run.startsWith('+');
      const at = { start: offset + (hasPlus ? 0 : first), end: offset + last + 1 };
      if (length === 11 && (isWhole || any || isValidCpf(value))) yield { type: 'cpf', value, ...at };
      // A number of JSON has lost its leading zeros, also where an error quotes it.
      if (isWhole && length >= MIN_CPF && length < 11)
        yield { type: 'cpf', value: value.padStart(11, '0'), ...at };
      if (isWhole) yield { type: 'phone', value: nationalPhone(value), ...at };
    }
  }
}

/** Finds what a number can identify: JSON has no leading zeros, so a CPF may be shorter. */
export function* identifiersOfNumber(number: number): Generator<Identifier> {
  const digits = String(Math.abs(number));
  if (!/^\d{8,15}$/.test(digits)) return;
  if (digits.length >= MIN_CPF && digits.length <= 11) yield { type: 'cpf', value: digits.padStart(11, '0') };
  yield { type: 'phone', value: nationalPhone(digits) };
}
