import { createHash } from 'node:crypto';

/**
 * A number in [0, 1) that depends on seed and key only, not on earlier numbers.
 *
 * @param {number} seed
 * @param {string} key
 */
export function keyedRandom(seed, key) {
  return createHash('sha256').update(`${seed}:${key}`).digest().readUInt32BE(0) / 2 ** 32;
}
