/** The effects of chaos on webhooks and on the API, and their rates. */
import { z } from 'zod';

const rate = z
  .number({ error: 'expected a number from 0 to 1' })
  .min(0, 'expected a number from 0 to 1')
  .max(1, 'expected a number from 0 to 1')
  .default(0);

/** The rate of each effect of chaos, from 0 (never) to 1 (always). */
export const chaosRates = z
  .strictObject({
    duplicates: rate.describe('Sent once more, with the same message id.'),
    resign: rate.describe('Sent once more with a new message id, time and signature.'),
    reorder: rate.describe('Held back for a moment, so that later webhooks overtake it.'),
    delay: rate.describe('Held back for seconds.'),
    drops: rate.describe('The first attempt is dropped; the next one is made later.'),
    losses: rate.describe('Never sent.'),
    truncation: rate.describe('The body is cut off at the first attempt, and sent whole later.'),
    bursts: rate.describe('Its lane pauses for a moment, and then sends everything at once.'),
    away: rate.describe('Of the minutes: in those the API answers 503 with Retry-After. Webhooks go on.'),
  })
  .meta({ id: 'Chaos' });

export type ChaosRates = Readonly<z.output<typeof chaosRates>>;
/** An effect on a webhook. */
export type ChaosEffect = Exclude<keyof ChaosRates, 'away'>;

/** Rates of 0. */
export const calm: ChaosRates = chaosRates.parse({});

/**
 * Parses rates such as `duplicates=0.1,reorder=0.2`.
 *
 * @returns the rates, or an error message.
 */
export function parseChaosRates(text: string): ChaosRates | string {
  const entries = text.split(',').map((entry) => entry.split('='));
  const given = Object.fromEntries(
    entries.map(([name = '', value = '']) => [name.trim(), value.trim() === '' ? Number.NaN : Number(value)]),
  );
  const read = chaosRates.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  if (issue?.code === 'unrecognized_keys')
    return `unknown effect: ${issue.keys.join(', ')}; the effects are ${Object.keys(chaosRates.shape).join(', ')}`;
  return `${issue?.path.join('.') ?? text}: ${issue?.message ?? 'is not valid'}, as in duplicates=0.1,reorder=0.2`;
}
