import { seededRandom } from '../../../src/kernel/seeded-random.ts';

/** The seed of a randomised test: to be printed with its figures, and taken back as FAULTS_SEED. */
export function seedOfRun(): number {
  return Number(process.env['FAULTS_SEED'] ?? Math.floor(Math.random() * 1_000_000));
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
