import type { Random } from './random.ts';
import { seededRandom } from './seeded-random.ts';

/**
 * The numbers of one key: what is drawn for it does not depend on what was drawn
 * for others before, so decisions stay the same in another order. Not for secrets.
 */
export function keyedRandom(seed: number, key: string): Random {
  // FNV-1a, mixed once more by the generator itself.
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let index = 0; index < key.length; index += 1)
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193) >>> 0;
  const random = seededRandom(hash ^ Math.imul(seed, 0x9e3779b1));
  // The first number of neighbouring keys would be alike.
  random();
  return random;
}
