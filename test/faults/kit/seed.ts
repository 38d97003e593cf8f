import { expect } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.ts';
import { wholeNumber } from './whole-number.ts';

/** The seed of a randomised test: printed at once, so that it is known however the test ends, and taken back as FAULTS_SEED. */
export function seedOfRun(): number {
  const seed = wholeNumber('FAULTS_SEED', Math.floor(Math.random() * 1_000_000));
  const { currentTestName = 'all tests of this file' } = expect.getState();
  process.stdout.write(`  FAULTS_SEED=${String(seed)} draws the same again: ${currentTestName}\n`);
  return seed;
}

/** Draws for one run, the same for the same seed. */
export interface Draws {
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  /** At least 0, below 1. */
  readonly random: () => number;
}

export function draws(seed: number): Draws {
  const random = seededRandom(seed);
  return { random, between: (least, most) => least + Math.floor(random() * (most - least + 1)) };
}
