/** How long steps of the scenario wait, and how they end. */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/kernel/time/durations.ts';
import { keyedRandom } from '../keyed-random.ts';
import type { Random } from '../../src/kernel/random.ts';

/** Minimum and maximum wait before each kind of step, in milliseconds. */
export const waits = {
  /** From new credentials to the first attempt. */
  'login starts': [1 * SECOND_MS, 5 * SECOND_MS],
  'login goes on': [1 * SECOND_MS, 4 * SECOND_MS],
  'login is tried again': [30 * MINUTE_MS, 2 * HOUR_MS],
  'session lasts': [4 * HOUR_MS, 12 * HOUR_MS],
  'session is renewed': [1 * MINUTE_MS, 10 * MINUTE_MS],
  'SNE answers': [10 * SECOND_MS, 90 * SECOND_MS],
  'slip is requested': [1 * SECOND_MS, 5 * SECOND_MS],
  'agency answers': [10 * SECOND_MS, 2 * MINUTE_MS],
  'import goes on': [150, 600],
  'driver answers': [1 * MINUTE_MS, 30 * MINUTE_MS],
  'indication is reviewed': [5 * MINUTE_MS, 1 * HOUR_MS],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

export type Wait = keyof typeof waits;

/** Days after the due date on which an overdue record is paid, if it is. */
export const LATE_DAYS = 15;

/** Probability of each outcome, from 0 to 1. The names are part of the seed: renaming one changes its draws. */
export const odds = {
  'portal fails': 0.02,
  'password is refused': 0.15,
  'access code is refused': 0.2,
  'certificate is refused': 0.05,
  'access code is asked for': 0.5,
  'SNE is unavailable': 0.04,
  'SNE refuses': 0.04,
  'slip fails': 0.03,
  'agency rejects': 0.07,
  'slip is paid by PIX': 0.4,
  'import of a record fails': 0.02,
  'driver does not answer': 0.08,
  'driver rejects': 0.1,
  'signer refuses': 0.08,
  'indication fails': 0.02,
  'agency voids an indication': 0.03,
  'is paid on its last day': 0.35,
  'is paid late': 0.3,
} as const satisfies Readonly<Record<string, number>>;

export type Chance = keyof typeof odds;

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
