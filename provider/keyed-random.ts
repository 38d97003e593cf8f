/** Random numbers by seed and key. */
import { seededRandom, type Random } from '../src/kernel/random.ts';

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

/** Hashes a string to 32 bits (FNV-1a over its UTF-16 code units). Fast, and not for secrets. */
function fnv1a(text: string, seed = 0): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}
