import type { ChaosEffect, ChaosRates } from '../chaos/chaos-rates.ts';
import type { Chaos } from '../send-delivery.ts';

/** The places of rates; the seed has the one behind them. */
const places: Readonly<Record<ChaosEffect, number>> = {
  duplicates: 0,
  resign: 1,
  reorder: 2,
  delay: 3,
  drops: 4,
  losses: 5,
  truncation: 6,
  bursts: 7,
};
const SEED = 8;

export interface ChaosMemory {
  readonly memory: SharedArrayBuffer;
  get(): Chaos;
  set(chaos: Chaos): void;
}

/**
 * Chaos in memory that threads share: what is recorded after it was changed is
 * sent by the new rates, which a message might be too late for.
 */
export function chaosMemory(
  memory = new SharedArrayBuffer((SEED + 1) * Float64Array.BYTES_PER_ELEMENT),
): ChaosMemory {
  const numbers = new Float64Array(memory);
  const at = (place: number) => numbers[place] ?? 0;
  return {
    memory,
    get() {
      const rates: ChaosRates = {
        duplicates: at(places.duplicates),
        resign: at(places.resign),
        reorder: at(places.reorder),
        delay: at(places.delay),
        drops: at(places.drops),
        losses: at(places.losses),
        truncation: at(places.truncation),
        bursts: at(places.bursts),
      };
      return { rates, seed: at(SEED) };
    },
    set({ rates, seed }) {
      for (const [effect, rate] of Object.entries(rates) as [ChaosEffect, number][])
        numbers[places[effect]] = rate;
      numbers[SEED] = seed;
    },
  };
}
