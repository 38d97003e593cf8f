import { keyedRandom } from '../../keyed-random.ts';
import type { RepeatKind } from '../webhook-tables.ts';
import type { ChaosEffect, ChaosRates } from './chaos-rates.ts';

/** What chaos does to one webhook. */
export interface Fate {
  /** Never sent. */
  readonly lost: boolean;
  /** Not sent at first, but so many milliseconds later; `drops` as if a first try had got lost. */
  readonly held: { readonly by: 'drops' | 'delay' | 'reorder'; readonly ms: number } | null;
  /** The share of its bytes that arrives at the first try, from 0 to less than 1. */
  readonly truncatedTo: number | null;
  /** Milliseconds that its lane stands still before it. */
  readonly burstMs: number | null;
  /** Sent so many milliseconds after it was delivered. */
  readonly repeats: readonly { readonly kind: RepeatKind; readonly afterMs: number }[];
}

/** Milliseconds, shortest and longest. */
const durations = {
  reorder: [50, 1_000],
  delay: [1_000, 30_000],
  drops: [1_000, 5_000],
  duplicates: [0, 2_000],
  resign: [0, 2_000],
  bursts: [500, 2_000],
} as const;

/** Milliseconds after which a webhook that was cut off is sent whole. */
export const WHOLE_AFTER_MS = 1_000;

/**
 * What happens to a delivery: the same for the same seed and id, whenever it is
 * asked, in whatever order, after a restart too. Each effect is decided by itself,
 * so one more effect, or a higher rate, leaves the others as they were.
 */
export function decideChaos(rates: ChaosRates, seed: number, deliveryId: number): Fate {
  const happens = (effect: ChaosEffect): number | null => {
    if (rates[effect] === 0) return null;
    const random = keyedRandom(seed, `${effect}:${String(deliveryId)}`);
    return random() < rates[effect] ? random() : null;
  };
  const lasts = (effect: keyof typeof durations): number | null => {
    const share = happens(effect);
    if (share === null) return null;
    const [shortest, longest] = durations[effect];
    return Math.floor(shortest + share * (longest - shortest));
  };
  const repeated = (effect: 'duplicates' | 'resign', kind: RepeatKind) => {
    const afterMs = lasts(effect);
    return afterMs === null ? [] : [{ kind, afterMs }];
  };
  // One of them is enough to hold it back: the longest.
  const by = (['delay', 'drops', 'reorder'] as const).find((effect) => happens(effect) !== null);
  return {
    lost: happens('losses') !== null,
    held: by === undefined ? null : { by, ms: lasts(by) ?? 0 },
    truncatedTo: happens('truncation'),
    burstMs: lasts('bursts'),
    repeats: [...repeated('duplicates', 'duplicate'), ...repeated('resign', 'resigned')],
  };
}
