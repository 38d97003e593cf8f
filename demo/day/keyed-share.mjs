import { createHash } from 'node:crypto';

/**
 * A number from 0 to less than 1, the same for the same seed and key: what is
 * decided by it does not depend on when, or on what was decided before.
 *
 * @param {number} seed
 * @param {string} key
 */
export function keyedShare(seed, key) {
  return createHash('sha256').update(`${seed}:${key}`).digest().readUInt32BE(0) / 2 ** 32;
}
