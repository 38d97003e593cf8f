/** Random decisions of the scenario, repeatable by a seed. */
import { keyedRandom } from '../keyed-random.ts';
import type { Random } from '../../src/kernel/random.ts';
import { odds, type Chance } from './pace-and-odds.ts';

/** Random decisions of one step. */
export interface Draw {
  /** Decides by the odds. The result for a step never changes. */
  happens(chance: Chance): boolean;
  /** Returns a random number generator for generated data, by name. */
  numbers(name: string): Random;
}

/** Creates the decisions of a step. @param step process, record and round; each step draws independently. */
export function drawFor(seed: number, step: string): Draw {
  return {
    happens: (chance) => keyedRandom(seed, `${step}:${chance}`)() < odds[chance],
    numbers: (name) => keyedRandom(seed, `${step}:${name}`),
  };
}
