import type { Random } from '../../src/kernel/random.ts';
import { characters, DIGITS, LETTERS } from './pick.ts';

/** Of the plates on the road, the newer ones. */
const MERCOSUL_SHARE = 0.6;

/** A licence plate: `ABC1D23` (Mercosul, since 2018) or `ABC1234`. */
export function inventPlate(random: Random): string {
  const letters = characters(random, LETTERS, 3);
  const first = characters(random, DIGITS, 1);
  const middle = characters(random, random() < MERCOSUL_SHARE ? LETTERS.slice(0, 10) : DIGITS, 1);
  return `${letters}${first}${middle}${characters(random, DIGITS, 2)}`;
}
