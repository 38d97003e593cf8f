/** Generates identifiers with valid check digits. */
import { withCnpjDigits, withCpfDigits } from '../../src/contract/check-digits.ts';
import { keyedRandom } from '../keyed-random.ts';
import type { Random } from '../../src/kernel/random.ts';
import { characters, DIGITS, LETTERS } from './pick.ts';

/** Share of the CNPJs with letters, which are issued since July 2026. */
const LETTERED_SHARE = 0.15;
/** Letter for each digit by position. A one-to-one mapping keeps CNPJs unique. */
const lettersByPosition = ['ABCDEFGHJK', 'LMNPQRSTUV', 'BDFGKRTWXZ'];

/** Increment between the CPFs of consecutive numbers. Coprime to 10, so that all 9-digit roots occur once. */
const CPF_STEP = 618_033_987;
/** Increment between the CNPJs of consecutive numbers. Coprime to 10, so that all 8-digit roots occur once. */
const CNPJ_STEP = 61_803_399;

/** Generates the CNPJ of a head office with valid check digits. Each number (from 0) has its own. */
export function generateCnpj(seed: number, number: number): string {
  const root = scattered(seed, number, CNPJ_STEP, 8);
  const isLettered = keyedRandom(seed, `cnpj:${String(number)}`)() < LETTERED_SHARE;
  return withCnpjDigits(`${isLettered ? withLetters(root) : root}0001`);
}

/** Generates the CPF of a person with valid check digits. Each number (from 0) has its own. */
export function generateCpf(seed: number, number: number): string {
  const root = scattered(seed, number, CPF_STEP, 9);
  // A CPF of one repeated digit is invalid.
  return withCpfDigits(/^(\d)\1*$/u.test(root) ? '123456789' : root);
}

function withLetters(digits: string): string {
  return Array.from(digits, (digit, position) => lettersByPosition[position]?.[Number(digit)] ?? digit).join(
    '',
  );
}

/** Returns digits that look random and differ for each number. */
function scattered(seed: number, number: number, step: number, digits: number): string {
  const all = 10 ** digits;
  const start = Math.floor(keyedRandom(seed, `tax ids of ${String(digits)} digits`)() * all);
  // As BigInt: the product can exceed 2^53.
  const offset = Number((BigInt(number) * BigInt(step)) % BigInt(all));
  return String((start + offset) % all).padStart(digits, '0');
}

/** Share of the plates in the Mercosul format. */
const MERCOSUL_SHARE = 0.6;

/** Generates a licence plate: `ABC1D23` (Mercosul, since 2018) or `ABC1234`. */
export function generatePlate(random: Random): string {
  const letters = characters(random, LETTERS, 3);
  const first = characters(random, DIGITS, 1);
  const middle = characters(random, random() < MERCOSUL_SHARE ? LETTERS.slice(0, 10) : DIGITS, 1);
  return `${letters}${first}${middle}${characters(random, DIGITS, 2)}`;
}
