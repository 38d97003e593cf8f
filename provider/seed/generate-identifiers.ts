import { withCnpjDigits, withCpfDigits } from '../../src/contract/check-digits.ts';
import { keyedRandom } from '../../src/kernel/random/keyed-random.ts';
import type { Random } from '../../src/kernel/random/random.ts';
import { characters, DIGITS, LETTERS } from './pick.ts';

/** Of the CNPJs, those with letters, which are issued since July 2026. */
const LETTERED_SHARE = 0.15;
/** What stands for a digit in the first places of these, so that numbers stay different ones. */
const lettersByPlace = ['ABCDEFGHJK', 'LMNPQRSTUV', 'BDFGKRTWXZ'];

/** Neither even nor multiples of five: counting in such steps meets every number of so many digits once. */
const CPF_STEP = 618_033_987;
const CNPJ_STEP = 61_803_399;

/** The CNPJ of a head office, with the right check digits. Different numbers (from 0) have different ones. */
export function generateCnpj(seed: number, number: number): string {
  const root = scattered(seed, number, CNPJ_STEP, 8);
  const isLettered = keyedRandom(seed, `cnpj:${String(number)}`)() < LETTERED_SHARE;
  return withCnpjDigits(`${isLettered ? withLetters(root) : root}0001`);
}

/** The CPF of a person, with the right check digits. Different numbers (from 0) have different ones. */
export function generateCpf(seed: number, number: number): string {
  const root = scattered(seed, number, CPF_STEP, 9);
  // Nobody has one of a single digit repeated.
  return withCpfDigits(/^(\d)\1*$/u.test(root) ? '123456789' : root);
}

function withLetters(digits: string): string {
  return Array.from(digits, (digit, place) => lettersByPlace[place]?.[Number(digit)] ?? digit).join('');
}

/** So many digits that look drawn and do not repeat. */
function scattered(seed: number, number: number, step: number, digits: number): string {
  const all = 10 ** digits;
  const start = Math.floor(keyedRandom(seed, `tax ids of ${String(digits)} digits`)() * all);
  // As large numbers: products beyond 2^53 would lose their last digits.
  const offset = Number((BigInt(number) * BigInt(step)) % BigInt(all));
  return String((start + offset) % all).padStart(digits, '0');
}

/** Of the plates on the road, the newer ones. */
const MERCOSUL_SHARE = 0.6;

/** A licence plate: `ABC1D23` (Mercosul, since 2018) or `ABC1234`. */
export function generatePlate(random: Random): string {
  const letters = characters(random, LETTERS, 3);
  const first = characters(random, DIGITS, 1);
  const middle = characters(random, random() < MERCOSUL_SHARE ? LETTERS.slice(0, 10) : DIGITS, 1);
  return `${letters}${first}${middle}${characters(random, DIGITS, 2)}`;
}
