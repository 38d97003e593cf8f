import { keyedRandom } from '../keyed-random.ts';
import type { Random } from '../../src/kernel/random.ts';
import { odds, type Chance } from './pace-and-odds.ts';

/** What chance says at one step. */
export interface Draw {
  /** The same answer whenever it is asked at this step. */
  happens(chance: Chance): boolean;
  /** Numbers of a name, for what is made up. */
  numbers(name: string): Random;
}

/** @param step the process, its record and its round: what other steps draw changes nothing. */
export function drawFor(seed: number, step: string): Draw {
  return {
    happens: (chance) => keyedRandom(seed, `${step}:${chance}`)() < odds[chance],
    numbers: (name) => keyedRandom(seed, `${step}:${name}`),
  };
}
