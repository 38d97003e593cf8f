import { z } from 'zod';

const rate = z
  .number({ error: 'expected a number from 0 to 1' })
  .min(0, 'expected a number from 0 to 1')
  .max(1, 'expected a number from 0 to 1')
  .default(0);

/** How often each effect happens to a webhook, from 0 (never) to 1 (always). */
export const chaosRates = z
  .strictObject({
    duplicates: rate.describe('Sent once more, with the same message id.'),
    resign: rate.describe('Sent once more, signed anew: another message id, another time.'),
    reorder: rate.describe('Held back for a moment, so that later ones overtake it.'),
    delay: rate.describe('Held back for seconds.'),
    drops: rate.describe('Lost on the way the first time, and sent again later.'),
    losses: rate.describe('Lost for good.'),
    truncation: rate.describe('Cut off the first time, and sent whole later.'),
    bursts: rate.describe('Everything of its lane stands still for a moment, and then comes at once.'),
  })
  .meta({ id: 'Chaos' });

export type ChaosRates = Readonly<z.output<typeof chaosRates>>;
export type ChaosEffect = keyof ChaosRates;

/** No chaos. */
export const calm: ChaosRates = chaosRates.parse({});

/**
 * Reads `duplicates=0.1,reorder=0.2`.
 *
 * @returns what is wrong with it, as one sentence, where something is.
 */
export function readChaosRates(text: string): ChaosRates | string {
  const entries = text.split(',').map((entry) => entry.split('='));
  const given = Object.fromEntries(
    entries.map(([name = '', value = '']) => [name.trim(), value.trim() === '' ? Number.NaN : Number(value)]),
  );
  const read = chaosRates.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  if (issue?.code === 'unrecognized_keys')
    return `There is no ${issue.keys.join(', ')}; there are ${Object.keys(chaosRates.shape).join(', ')}`;
  return `${issue?.path.join('.') ?? text}: ${issue?.message ?? 'does not fit'}, as in duplicates=0.1,reorder=0.2`;
}
