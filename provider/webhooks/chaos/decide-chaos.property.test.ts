import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calm, type ChaosEffect, type ChaosRates } from './chaos-rates.ts';
import { awaySeconds, decideChaos, type Fate } from './decide-chaos.ts';

const seeds = fc.integer({ min: 0, max: 2 ** 31 });
const ids = fc.integer({ min: 1, max: 10_000_000 });
const rate = fc.double({ min: 0, max: 1, noNaN: true });
const { away: _, ...ofWebhooks } = calm;
const effects = Object.keys(ofWebhooks) as ChaosEffect[];
const rates: fc.Arbitrary<ChaosRates> = fc.record(
  Object.fromEntries(Object.keys(calm).map((effect) => [effect, rate])) as Record<
    keyof ChaosRates,
    typeof rate
  >,
);

/** Whether an effect is there to be seen; of those that hold back only one is. */
const seen: Readonly<Record<ChaosEffect, (fate: Fate) => boolean>> = {
  duplicates: ({ repeats }) => repeats.some(({ kind }) => kind === 'duplicate'),
  resign: ({ repeats }) => repeats.some(({ kind }) => kind === 'resigned'),
  reorder: ({ held }) => held?.by === 'reorder',
  delay: ({ held }) => held?.by === 'delay',
  drops: ({ held }) => held?.by === 'drops',
  losses: ({ lost }) => lost,
  truncation: ({ truncatedTo }) => truncatedTo !== null,
  bursts: ({ burstMs }) => burstMs !== null,
};

test('without chaos nothing happens to anything', () => {
  fc.assert(
    fc.property(seeds, ids, (seed, id) => {
      expect(decideChaos(calm, seed, id)).toEqual({
        lost: false,
        held: null,
        truncatedTo: null,
        burstMs: null,
        repeats: [],
      });
    }),
  );
});

test('the same seed, rates and webhook have the same fate, whatever was decided before', () => {
  fc.assert(
    fc.property(rates, seeds, ids, ids, (chosen, seed, id, other) => {
      const fate = decideChaos(chosen, seed, id);
      decideChaos(chosen, seed, other);
      expect(decideChaos(chosen, seed, id)).toEqual(fate);
    }),
  );
});

test('a higher rate takes nothing back, and leaves the other effects as they were', () => {
  fc.assert(
    fc.property(fc.constantFrom(...effects), rate, rate, seeds, ids, (effect, one, two, seed, id) => {
      const [low, high] = [Math.min(one, two), Math.max(one, two)];
      const before = decideChaos({ ...calm, [effect]: low }, seed, id);
      const after = decideChaos({ ...calm, [effect]: high }, seed, id);
      if (seen[effect](before)) expect(after).toEqual(before);
      for (const other of effects) if (other !== effect) expect(seen[other](after)).toBe(false);
    }),
  );
});

test('times and shares stay within what a stand-in can wait for, and something is always missing', () => {
  fc.assert(
    fc.property(rates, seeds, ids, (chosen, seed, id) => {
      const { held, burstMs, truncatedTo, repeats } = decideChaos(chosen, seed, id);
      for (const ms of [held?.ms, burstMs, ...repeats.map(({ afterMs }) => afterMs)]) {
        expect(ms ?? 0).toBeGreaterThanOrEqual(0);
        expect(ms ?? 0).toBeLessThanOrEqual(30_000);
      }
      expect(truncatedTo ?? 0).toBeLessThan(1);
    }),
  );
});

test.each(effects)('%s happens about as often as its rate says, for any seed', (effect) => {
  fc.assert(
    fc.property(seeds, fc.constantFrom(0.05, 0.3, 0.9), (seed, chosen) => {
      const webhooks = 4_000;
      let times = 0;
      for (let id = 1; id <= webhooks; id += 1)
        if (seen[effect](decideChaos({ ...calm, [effect]: chosen }, seed, id))) times += 1;
      // Six standard deviations: it would fail once in a hundred million runs.
      expect(Math.abs(times / webhooks - chosen)).toBeLessThan(6 * Math.sqrt(0.25 / webhooks));
    }),
    { numRuns: 15 },
  );
});

test('the API is away for about that share of whole minutes, and says until when', () => {
  const start = Date.UTC(2026, 2, 10);
  const minutes = Array.from({ length: 2_000 }, (_, at) => start + at * 60_000);
  const away = (rate: number, at: number) => awaySeconds({ rates: { ...calm, away: rate }, seed: 7 }, at);

  expect(minutes.filter((at) => away(0, at) !== null)).toEqual([]);
  expect(minutes.filter((at) => away(1, at) !== 60)).toEqual([]);
  const some = minutes.filter((at) => away(0.1, at) !== null);
  expect(Math.abs(some.length / minutes.length - 0.1)).toBeLessThan(6 * Math.sqrt(0.25 / minutes.length));
  for (const at of some) expect([away(0.1, at + 1), away(0.1, at + 59_999)]).toEqual([60, 1]);
});
