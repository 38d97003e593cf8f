import { seededRandom, type Random } from '../src/kernel/random.ts';
import { fnv1a } from './fnv-1a.ts';

/**
 * Creates the random numbers of one key. They do not depend on what other keys drew before, so decisions stay
 * the same in another order. Not for secrets.
 */
export function keyedRandom(seed: number, key: string): Random {
  const random = seededRandom(fnv1a(key, seed) ^ Math.imul(seed, 0x9e3779b1));
  // The first number of neighbouring keys would be alike.
  random();
  return random;
}
