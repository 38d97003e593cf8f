import { expect } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.ts';
import { wholeNumber } from './whole-number.ts';

/** Returns the seed of a randomised test: FAULTS_SEED, or a random one. It is printed at once, however the test ends. */
export function seedOfRun(): number {
  const seed = wholeNumber('FAULTS_SEED', Math.floor(Math.random() * 1_000_000));
  const { currentTestName = 'all tests of this file' } = expect.getState();
  process.stdout.write(`  FAULTS_SEED=${String(seed)} repeats this run: ${currentTestName}\n`);
  return seed;
}

/** Random numbers of one run, the same for the same seed. */
export interface Draws {
  /** A whole number from `min` to `max`. */
  between(min: number, max: number): number;
  /** A number from 0 to below 1. */
  readonly random: () => number;
}

export function draws(seed: number): Draws {
  const random = seededRandom(seed);
  return { random, between: (min, max) => min + Math.floor(random() * (max - min + 1)) };
}
